// Package feishu is the edge to Feishu and Lark: it takes verified, encrypted
// version 2 events and card callbacks in, and sends messages and cards out.
//
// What comes in is verified and parsed by hand (Receiver); what goes out uses
// the official SDK's request core (Client). The package decides nothing: who
// may start work is the gate's matter, whether a click settles an item is
// flow/resolve's. It never logs, and no error of it holds a body or a secret.
package feishu
