package feishu

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// The headers of a signed delivery.
const (
	HeaderTimestamp = "X-Lark-Request-Timestamp"
	HeaderNonce     = "X-Lark-Request-Nonce"
	HeaderSignature = "X-Lark-Signature"
)

// key is one Encrypt Key, ready to use by many goroutines.
type key struct {
	text  string
	block cipher.Block
}

func newKey(encryptKey string) key {
	sum := sha256.Sum256([]byte(encryptKey))
	block, err := aes.NewCipher(sum[:])
	if err != nil {
		panic("feishu: " + err.Error()) // a 32 byte key is always valid
	}
	return key{text: encryptKey, block: block}
}

// signature is the lower hex SHA-256 of time stamp, nonce, Encrypt Key and raw
// body, one after the other. It is no HMAC; that is the platform's rule.
func (k key) signature(stamp, nonce string, body []byte) string {
	h := sha256.New()
	h.Write([]byte(stamp))
	h.Write([]byte(nonce))
	h.Write([]byte(k.text))
	h.Write(body)
	return hex.EncodeToString(h.Sum(nil))
}

// signed compares in constant time.
func (k key) signed(stamp, nonce, signature string, body []byte) bool {
	return subtle.ConstantTimeCompare([]byte(k.signature(stamp, nonce, body)), []byte(signature)) == 1
}

var errCipher = errors.New("the encrypted content cannot be decrypted")

// decrypt opens base64(IV || AES-256-CBC), PKCS#7 padded and checked. It runs
// only on bodies whose signature was good, and on the URL check, which has
// none and is answered the same way whatever is wrong with it.
func (k key) decrypt(text []byte) ([]byte, error) {
	raw := make([]byte, base64.StdEncoding.DecodedLen(len(text)))
	n, err := base64.StdEncoding.Decode(raw, text)
	if err != nil || n < 2*aes.BlockSize || n%aes.BlockSize != 0 {
		return nil, errCipher
	}
	iv, out := raw[:aes.BlockSize], raw[aes.BlockSize:n]
	cipher.NewCBCDecrypter(k.block, iv).CryptBlocks(out, out)
	pad := int(out[len(out)-1])
	if pad < 1 || pad > aes.BlockSize {
		return nil, errCipher
	}
	for _, b := range out[len(out)-pad:] {
		if int(b) != pad {
			return nil, errCipher
		}
	}
	return out[:len(out)-pad], nil
}

// Encrypt makes the body that the platform would send for plain: the envelope
// {"encrypt": "..."}. The initialisation vector is given, so that event files
// and golden vectors come out the same each time; who needs privacy (the
// platform does, tests do not) takes a random one. For tests, replay and the
// stand-in.
func Encrypt(encryptKey string, plain []byte, iv [16]byte) []byte {
	pad := aes.BlockSize - len(plain)%aes.BlockSize
	buf := make([]byte, aes.BlockSize+len(plain)+pad)
	copy(buf, iv[:])
	copy(buf[aes.BlockSize:], plain)
	for i := len(buf) - pad; i < len(buf); i++ {
		buf[i] = byte(pad)
	}
	out := buf[aes.BlockSize:]
	cipher.NewCBCEncrypter(newKey(encryptKey).block, iv[:]).CryptBlocks(out, out)
	return []byte(`{"encrypt":"` + base64.StdEncoding.EncodeToString(buf) + `"}`)
}

// Sign gives the headers of a delivery of body, already encrypted, at the
// given time. The nonce is derived from the body, so the same input gives the
// same headers. For tests, replay and the stand-in.
func Sign(encryptKey string, body []byte, at time.Time) http.Header {
	sum := sha256.Sum256(body)
	stamp, nonce := strconv.FormatInt(at.Unix(), 10), hex.EncodeToString(sum[:5])
	h := http.Header{}
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set(HeaderTimestamp, stamp)
	h.Set(HeaderNonce, nonce)
	h.Set(HeaderSignature, newKey(encryptKey).signature(stamp, nonce, body))
	return h
}
