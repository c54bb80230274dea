package openai

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/agentsentinel/sentinel"
	"github.com/agentsentinel/sentinel/internal/judge"
)

// certificate writes a certificate and its key as PEM, in one file and in two.
func certificate(t *testing.T, dir, name string) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	about := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	require.NoError(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	require.NoError(t, err)
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	secret := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER})
	for suffix, data := range map[string][]byte{".pem": append(append([]byte{}, cert...), secret...), ".crt": cert, ".key": secret} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name+suffix), data, 0o600))
	}
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return parsed
}

// TestTLS: a server with a certificate of a private authority that asks for a certificate
// of the client.
func TestTLS(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	known := certificate(t, home, "ada")
	certificate(t, home, "mallory")
	clients := x509.NewCertPool()
	clients.AddCert(known)
	var asked string // by whom, and with which key
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.TLS.PeerCertificates[0].Subject.CommonName + " " + r.Header.Get("Authorization")
		io.WriteString(w, `{"choices":[{"message":{"content":"{}"},"finish_reason":"stop"}]}`)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: clients}
	server.StartTLS()
	t.Cleanup(server.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	require.NoError(t, os.WriteFile(filepath.Join(home, "ca.pem"), ca, 0o600))

	for name, tt := range map[string]struct {
		ca, cert, key string
		untrusted     bool
		wrong         string // "" asks
	}{
		"one file":               {ca: "~/ca.pem", cert: "~/ada.pem"},
		"two files":              {ca: filepath.Join(home, "ca.pem"), cert: "~/ada.crt", key: "~/ada.key"},
		"relative":               {ca: "ca.pem", cert: "ada.pem"},
		"unknown authority":      {cert: "~/ada.pem", wrong: "name its file in `ca_file`"},
		"another authority":      {ca: "~/mallory.crt", cert: "~/ada.pem", wrong: "name its file in `ca_file`"},
		"nobody asks":            {ca: "~/ca.pem", wrong: "certificate required"},
		"somebody else asks":     {ca: "~/ca.pem", cert: "~/mallory.pem", wrong: "certificate"},
		"the key of another":     {ca: "~/ca.pem", cert: "~/ada.crt", key: "~/mallory.key", wrong: "private key does not match"},
		"a key alone":            {ca: "~/ca.pem", key: "~/ada.key", wrong: "`client_cert_file`"},
		"no such file":           {ca: "~/none.pem", wrong: "`ca_file`"},
		"no certificate":         {ca: "~/ada.key", wrong: "holds no certificate"},
		"not trusted":            {ca: "~/ca.pem", cert: "~/ada.pem", untrusted: true, wrong: "is not trusted"},
		"not trusted, key alone": {key: "~/ada.key", untrusted: true, wrong: "is not trusted"},
	} {
		asked = ""
		settings := Settings{BaseURL: server.URL, APIKeyEnv: "TEAM_KEY", Model: "m", CAFile: tt.ca, CertFile: tt.cert, KeyFile: tt.key}
		site := &judge.Site{
			Model: "m", Dir: home, Trusted: func() bool { return !tt.untrusted }, MayAsk: func(*url.URL) error { return nil },
			Getenv: func(key string) string { return map[string]string{"HOME": home, "TEAM_KEY": "ada's"}[key] },
		}
		b, err := settings.Build(site)
		if err == nil {
			_, err = b.Complete(t.Context(), sentinel.Request{Prompt: "x"})
		}
		if tt.wrong != "" {
			require.ErrorContains(t, err, tt.wrong, name)
			require.Empty(t, asked, name)
			continue
		}
		require.NoError(t, err, name)
		require.Equal(t, "ada Bearer ada's", asked, name)
	}
}
