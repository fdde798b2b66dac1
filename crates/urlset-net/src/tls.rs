//! TLS: who is trusted, and what is said of a server whose TLS fails.

use std::io;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use crate::fault::{Fault, FaultKind, reason};
use crate::settings::Settings;

/// How TLS is spoken with all servers of a transport.
#[derive(Debug)]
pub struct Tls {
    settings: Arc<Settings>,
    files: Files,
    /// Made when the first server needs it: the authorities of a system take milliseconds to read.
    config: OnceLock<Arc<ClientConfig>>,
}

/// What the caller's files hold.
#[derive(Debug)]
struct Files {
    authorities: Option<Vec<CertificateDer<'static>>>,
    own: Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)>,
}

impl Tls {
    /// Reads the files that the caller and the environment name. The error says which of them cannot be used.
    pub fn new(settings: Arc<Settings>) -> Result<Self, String> {
        let authorities = settings.ca_file.as_deref().map(|file| certificates("Http.ca_file", file)).transpose()?;
        let own = settings.client_cert.as_deref().map(own_certificate).transpose()?;
        if authorities.is_none()
            && let Some(file) = std::env::var_os("SSL_CERT_FILE").filter(|file| !file.is_empty())
        {
            certificates("SSL_CERT_FILE", Path::new(&file))?;
        }
        let tls = Tls { settings, files: Files { authorities, own }, config: OnceLock::new() };
        if tls.files.own.is_some() {
            tls.config().map_err(|error| format!("Http.client_cert cannot be used: {error}"))?;
        }
        Ok(tls)
    }

    /// How TLS is spoken. This reads the authorities of the system when it is asked for the first time.
    pub fn config(&self) -> Result<Arc<ClientConfig>, Error> {
        if let Some(config) = self.config.get() {
            return Ok(config.clone());
        }
        let made = self.make()?;
        Ok(self.config.get_or_init(|| made).clone())
    }

    fn make(&self) -> Result<Arc<ClientConfig>, Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let verifier = self.verifier(&provider)?;
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
        let mut config = match &self.files.own {
            None => builder.with_no_client_auth(),
            Some((chain, key)) => builder.with_client_auth_cert(chain.clone(), key.clone_key())?,
        };
        if self.settings.http2 {
            config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        }
        Ok(Arc::new(config))
    }

    fn verifier(&self, provider: &Arc<CryptoProvider>) -> Result<Arc<dyn ServerCertVerifier>, Error> {
        if !self.settings.verify {
            return Ok(Arc::new(Unverified(provider.clone())));
        }
        let named = self.files.authorities.as_deref();
        let trusted = named.map_or_else(|| rustls_native_certs::load_native_certs().certs, <[_]>::to_vec);
        let mut roots = RootCertStore::empty();
        // A system may hold certificates that nobody can read: they vouch for nobody.
        roots.add_parsable_certificates(trusted.iter().cloned());
        let chains = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone()).build();
        let chains = chains.map_err(|error| Error::General(format!("no authority is trusted: {error}")))?;
        Ok(Arc::new(Trusting { chains, exact: trusted }))
    }
}

/// The certificates of a PEM file.
fn certificates(what: &str, file: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let wrong = |reason: &str| format!("{what} must be a PEM file of certificates, got {}: {reason}", file.display());
    let pem = std::fs::read(file).map_err(|error| wrong(&unlowered(&error)))?;
    match CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>() {
        Ok(found) if !found.is_empty() => Ok(found),
        _ => Err(wrong("it has no certificates")),
    }
}

/// What the system says of an error, as it says it.
fn unlowered(error: &io::Error) -> String {
    error.to_string().split(" (os error").next().unwrap_or_default().to_owned()
}

fn own_certificate(file: &Path) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), String> {
    let chain = certificates("Http.client_cert", file)?;
    let key = std::fs::read(file).ok().and_then(|pem| PrivateKeyDer::from_pem_slice(&pem).ok());
    let key = key.ok_or_else(|| format!("Http.client_cert must also hold the key, got {}", file.display()))?;
    Ok((chain, key))
}

/// Trusts chains to an authority, and the very certificates that the caller or the system named.
#[derive(Debug)]
struct Trusting {
    chains: Arc<WebPkiServerVerifier>,
    exact: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Trusting {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        server_name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let judged = self.chains.verify_server_cert(end_entity, intermediates, server_name, ocsp_response, now);
        match judged {
            // A certificate that its owner signed is often one of an authority, too, and those are refused for servers.
            // Its time has been checked before that. Its name has not.
            Err(Error::InvalidCertificate(CertificateError::Other(_)))
                if self.exact.iter().any(|one| one == end_entity) =>
            {
                rustls::client::verify_server_name(&ParsedCertificate::try_from(end_entity)?, server_name)?;
                Ok(ServerCertVerified::assertion())
            }
            judged => judged,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chains.verify_tls12_signature(message, cert, dss)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.chains.verify_tls13_signature(message, cert, dss)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.chains.supported_verify_schemes()
    }
}

/// Accepts any certificate, as long as the server has its key: for a staging server of one's own.
#[derive(Debug)]
struct Unverified(Arc<CryptoProvider>);

impl ServerCertVerifier for Unverified {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        cert: &CertificateDer<'_>,
        dss: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, cert, dss, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// What is wrong with the TLS of a server, in the words that OpenSSL has for it.
pub fn problem(error: &io::Error, host: &str) -> Fault {
    let tls = |message: &str| Fault::new(FaultKind::Tls, message);
    let Some(inner) = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) else {
        return match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset | io::ErrorKind::BrokenPipe => {
                tls("the server ended the connection during the TLS handshake")
            }
            _ => Fault::new(FaultKind::Tls, format!("TLS failed: {}", reason(error))),
        };
    };
    match inner {
        Error::InvalidCertificate(problem) => {
            let words = certificate_problem(problem, host);
            Fault::new(FaultKind::Certificate, format!("the certificate of the server is not valid: {words}"))
        }
        Error::InvalidMessage(_) => tls("the server does not speak TLS on this port"),
        Error::AlertReceived(rustls::AlertDescription::ProtocolVersion) | Error::PeerIncompatible(_) => {
            tls("the server speaks only an old version of TLS")
        }
        Error::AlertReceived(alert) => {
            let alert = spaced(&format!("{alert:?}"));
            Fault::new(FaultKind::Tls, format!("TLS failed: the server answers with the alert '{alert}'"))
        }
        other => Fault::new(FaultKind::Tls, format!("TLS failed: {}", other.to_string().to_lowercase())),
    }
}

/// The words of a name such as `HandshakeFailure`.
fn spaced(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.push(letter.to_ascii_lowercase());
    }
    words
}

fn certificate_problem(problem: &CertificateError, host: &str) -> String {
    match problem {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => "certificate has expired".to_owned(),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            "certificate is not yet valid".to_owned()
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            let what = if host.parse::<std::net::IpAddr>().is_ok() { "IP address" } else { "hostname" };
            format!("{what} mismatch, certificate is not valid for '{host}'")
        }
        CertificateError::UnknownIssuer => "unable to get local issuer certificate".to_owned(),
        other => other.to_string().to_lowercase(),
    }
}
