//! Connected channels over every transport, and certificates.

use std::{
    thread,
    time::{Duration, Instant},
};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use wire::{Address, Channel, Listener, TlsClient, TlsServer};

pub(crate) const TIME: Duration = Duration::from_secs(10);

/// A certificate chain and its key, in PEM, and the CA that signed it.
pub(crate) struct Certified {
    pub(crate) authority: String,
    pub(crate) leaf: String,
    pub(crate) key: String,
}

pub(crate) fn certify(name: &str) -> Certified {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
    let leaf = params.signed_by(&key, &authority).unwrap();
    Certified { authority: authority.pem(), leaf: leaf.pem(), key: key.serialize_pem() }
}

pub(crate) fn server_of(certified: &Certified) -> TlsServer {
    TlsServer::from_pem(certified.leaf.as_bytes(), certified.key.as_bytes()).unwrap()
}

pub(crate) fn client_of(pem: &str) -> TlsClient {
    TlsClient::from_pem(pem.as_bytes()).unwrap()
}

/// The connecting end and the accepted end.
pub(crate) fn connect(address: &str, tls: Option<(&TlsServer, &TlsClient)>) -> (Channel, Channel) {
    let address: Address = address.parse().unwrap();
    let listener = Listener::bind(&address, tls.map(|tls| tls.0)).unwrap();
    thread::scope(|scope| {
        let accepted = scope.spawn(|| {
            let mut channel = listener.accept().unwrap();
            // Drives the handshake, which the connecting end waits for.
            assert!(!channel.wait(Duration::from_millis(200)).unwrap());
            channel
        });
        let connected = Channel::connect(listener.address(), tls.map(|tls| tls.1), TIME).unwrap();
        (connected, accepted.join().unwrap())
    })
}

/// One pair of connected channels over each transport.
pub(crate) fn transports() -> Vec<(&'static str, Channel, Channel)> {
    let certified = certify("localhost");
    let (server, client) = (server_of(&certified), client_of(&certified.authority));
    let mut pairs = Vec::new();
    let mut push = |name, (left, right)| pairs.push((name, left, right));
    push("memory", Channel::pair());
    push("tcp", connect("tcp://127.0.0.1:0", None));
    push("tls", connect("tls://localhost:0", Some((&server, &client))));
    #[cfg(unix)]
    {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("socket");
        push("unix", connect(&format!("unix://{}", path.display()), None));
    }
    pairs
}

/// Fails if `run` takes longer than `most`: it should have timed out.
pub(crate) fn within<T>(most: Duration, run: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let value = run();
    assert!(start.elapsed() < most, "took {:?}", start.elapsed());
    value
}
