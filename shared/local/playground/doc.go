// Package playground is the page of postern dev on which one is the people:
// Slack, Feishu and GitHub side by side, as the stand-ins play them (U3). Each
// action there makes the stand-in send the real, signed webhook to the running
// Postern; what Postern then posts is shown as that person would see it.
//
// It can press buttons as anybody, so it stands behind the panel's own sign-in
// and form token, for owners, on loopback addresses only (U8): an agent on the
// same machine cannot answer itself here. It reads no table and calls no
// handler of Postern's.
package playground
