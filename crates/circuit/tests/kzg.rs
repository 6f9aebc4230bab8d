//! The JSON of the KZG ceremony.

use algebra::{Bls12381, CurveGroup, Group, Pairing, Scalar};
use circuit::{
    Error,
    kzg::{BatchContribution, BatchTranscript, Contribution, Powers, Transcript},
};

type G1 = <Bls12381 as Pairing>::G1;
type G2 = <Bls12381 as Pairing>::G2;

const G: &str = "0x97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb";
const H: &str = "0x93e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8";

fn powers(tau: u64) -> Powers {
    let power = |i: u32| Scalar::from_u64(tau.pow(i));
    Powers {
        g1: G1::precompute(&(0..4).map(|i| G1::mul_generator(&power(i))).collect::<Vec<_>>()),
        g2: G2::precompute(&(0..2).map(|i| G2::mul_generator(&power(i))).collect::<Vec<_>>()),
    }
}

fn contribution() -> BatchContribution {
    let one =
        |signature| Contribution { powers: powers(3), public_key: powers(3).g2[1], signature };
    BatchContribution {
        contributions: vec![one(None), one(Some(powers(5).g1[1]))],
        ecdsa_signature: "0x00".to_owned(),
    }
}

fn transcript() -> BatchTranscript {
    let one = Transcript {
        powers: powers(3),
        running_products: vec![G1::affine_generator(), powers(3).g1[1]],
        public_keys: vec![G2::affine_generator(), powers(3).g2[1]],
        signatures: vec![None, Some(powers(7).g1[1])],
    };
    BatchTranscript {
        transcripts: vec![one],
        participant_ids: vec![String::new(), "git|1|ana".to_owned()],
        participant_ecdsa_signatures: vec![String::new(); 2],
    }
}

fn contribution_text() -> String {
    let mut out = Vec::new();
    contribution().write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn transcript_text() -> String {
    let mut out = Vec::new();
    transcript().write(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn round_trips() {
    assert_eq!(BatchContribution::read(contribution_text().as_bytes()).unwrap(), contribution());
    assert_eq!(BatchTranscript::read(transcript_text().as_bytes()).unwrap(), transcript());
}

#[test]
fn the_sequencers_beginning() {
    let text = format!(
        r#"{{"transcripts": [{{"numG1Powers": 2, "numG2Powers": 2,
            "powersOfTau": {{"G1Powers": ["{G}", "{G}"], "G2Powers": ["{H}", "{H}"]}},
            "witness": {{"runningProducts": ["{G}"], "potPubkeys": ["{H}"],
                "blsSignatures": [""]}}}}],
        "participant_ids": [""], "participant_ecdsa_signatures": [""]}}"#
    );
    let transcript = BatchTranscript::read(text.as_bytes()).unwrap();
    assert_eq!(transcript.transcripts[0].powers, powers(1).prefix());
    let mut out = Vec::new();
    transcript.write(&mut out).unwrap();
    let written = String::from_utf8(out).unwrap();
    assert!(
        written.contains(r#""numG1Powers":2,"numG2Powers":2,"powersOfTau":{"G1Powers":["0x97"#)
    );
    assert!(written.contains(r#""blsSignatures":[""]"#) && written.contains(r#""participantIds""#));
}

trait Prefix {
    fn prefix(self) -> Self;
}

impl Prefix for Powers {
    fn prefix(mut self) -> Self {
        self.g1.truncate(2);
        self
    }
}

#[test]
fn refusals() {
    let honest = contribution_text();
    let refused = |from: &str, to: &str| {
        assert!(honest.contains(from));
        let text = honest.replacen(from, to, 1);
        match BatchContribution::read(text.as_bytes()).unwrap_err() {
            Error::Transcript { index: 0, reason } => *reason,
            error => error,
        }
    };
    let infinity = format!("0xc0{}", "00".repeat(47));
    let error = refused(G, &infinity);
    assert!(matches!(error, Error::Infinity { place: "KZG G1Powers", index: 0 }), "{error}");
    // On the curve, of order 3.
    let outside = format!("0x80{}", "00".repeat(47));
    let error = refused(G, &outside);
    assert!(matches!(error, Error::Point { place: "KZG G1Powers", index: 0, .. }), "{error}");
    let error = refused(H, &H.replace("0x93", "0xff"));
    assert!(matches!(error, Error::Point { place: "KZG G2Powers", .. }), "{error}");
    for (from, to) in [
        (G, &G.to_uppercase() as &str),
        (G, &G[..96]),
        (G, &G[2..]),
        ("\"numG1Powers\":4", "\"numG1Powers\":5"),
        ("\"numG2Powers\":2", "\"numG2Powers\":1"),
        ("\"potPubkey\"", "\"pubkey\""),
        ("\"blsSignature\":\"\"", "\"blsSignature\":\"0x\""),
    ] {
        refused(from, to);
    }
    for cut in [0, 1, honest.len() / 2, honest.len() - 1] {
        assert!(BatchContribution::read(&honest.as_bytes()[..cut]).is_err());
    }

    // The second of its powers.
    let (first, second) = honest.split_at(honest.rfind(G).unwrap());
    let text = [first, &second.replacen(G, &infinity, 1)].concat();
    let error = BatchContribution::read(text.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "transcript 1: KZG G1Powers, point 0: the point at infinity is not allowed here"
    );

    let honest = transcript_text();
    for (from, to) in [
        ("\"git|1|ana\"", "\"git|1|ana\",\"more\""),
        ("\"participantEcdsaSignatures\":[\"\",", "\"participantEcdsaSignatures\":["),
        ("\"blsSignatures\":[\"\",", "\"blsSignatures\":["),
    ] {
        assert!(honest.contains(from));
        let text = honest.replacen(from, to, 1);
        assert!(BatchTranscript::read(text.as_bytes()).is_err(), "{from}");
    }
}
