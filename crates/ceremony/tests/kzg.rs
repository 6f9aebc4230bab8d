//! The KZG ceremony, with a sequencer in miniature.

use algebra::{Affine, AffineGroup, Bls12381, CurveGroup, Group, Pairing, Scalar};
use ceremony::{
    Error, Trust,
    kzg::{self, KzgError, SIZES, Verified},
};
use circuit::kzg::{BatchContribution, BatchTranscript, Contribution, Powers, Transcript};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;

type G1 = <Bls12381 as Pairing>::G1;
type G2 = <Bls12381 as Pairing>::G2;

const SMALL: [(usize, usize); 2] = [(9, 4), (6, 3)];

fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

fn begin(sizes: &[(usize, usize)]) -> BatchTranscript {
    let (g, h) = (G1::affine_generator(), G2::affine_generator());
    let one = |&(g1, g2): &(usize, usize)| Transcript {
        powers: Powers { g1: vec![g; g1], g2: vec![h; g2] },
        running_products: vec![g],
        public_keys: vec![h],
        signatures: vec![None],
    };
    BatchTranscript {
        transcripts: sizes.iter().map(one).collect(),
        participant_ids: vec![String::new()],
        participant_ecdsa_signatures: vec![String::new()],
    }
}

/// What the sequencer hands a participant.
fn handed_out(transcript: &BatchTranscript) -> BatchContribution {
    let one = |one: &Transcript| Contribution {
        powers: one.powers.clone(),
        public_key: G2::affine_generator(),
        signature: None,
    };
    BatchContribution {
        contributions: transcript.transcripts.iter().map(one).collect(),
        ecdsa_signature: String::new(),
    }
}

/// What the sequencer does with what comes back.
fn add(transcript: &mut BatchTranscript, contribution: BatchContribution) {
    for (one, step) in transcript.transcripts.iter_mut().zip(contribution.contributions) {
        one.running_products.push(step.powers.g1[1]);
        one.public_keys.push(step.public_key);
        one.signatures.push(step.signature);
        one.powers = step.powers;
    }
    transcript.participant_ids.push("git|1|ana".to_owned());
    transcript.participant_ecdsa_signatures.push(String::new());
}

fn sizes_of(one: &Transcript) -> (usize, usize) {
    (one.powers.g1.len(), one.powers.g2.len())
}

fn contribute(transcript: &BatchTranscript, seed: u8) -> BatchContribution {
    let mut text = Vec::new();
    handed_out(transcript).write(&mut text).unwrap();
    let before = BatchContribution::read(text.as_slice()).unwrap();
    let sizes: Vec<_> = transcript.transcripts.iter().map(sizes_of).collect();
    let mut verifier = rng(97);
    let trust = Trust::verify(sizes.as_slice(), &mut verifier);
    kzg::contribute(&before, trust, &mut rng(seed), &()).unwrap()
}

fn ceremony(sizes: &[(usize, usize)], participants: u8) -> BatchTranscript {
    let mut transcript = begin(sizes);
    for seed in 1..=participants {
        let contribution = contribute(&transcript, seed);
        add(&mut transcript, contribution);
    }
    transcript
}

/// Through a file and back.
fn reread(transcript: &BatchTranscript) -> BatchTranscript {
    let mut text = Vec::new();
    transcript.write(&mut text).unwrap();
    BatchTranscript::read(text.as_slice()).unwrap()
}

fn verify(transcript: &BatchTranscript, sizes: &[(usize, usize)]) -> Result<Verified, KzgError> {
    kzg::verify_transcript(&reread(transcript), sizes, &mut rng(99), &())
}

fn verify_step(before: &BatchTranscript, step: &BatchContribution) -> Result<(), KzgError> {
    kzg::verify_contribution(before, step, &SMALL, &mut rng(99), &())
}

/// Another point of the group.
fn other<G: CurveGroup>(point: &Affine<G>) -> Affine<G> {
    G::precompute(&[Into::<G>::into(*point) + G::generator().double().double()])[0]
}

fn times<G: CurveGroup>(point: &Affine<G>, factor: u64) -> Affine<G> {
    G::precompute(&[Into::<G>::into(*point).mul(&Scalar::from_u64(factor))])[0]
}

#[test]
fn honest() {
    let transcript = ceremony(&SMALL, 4);
    let expected = Verified { sizes: SMALL.to_vec(), participants: 4, idle: Vec::new() };
    assert_eq!(verify(&transcript, &SMALL), Ok(expected));
    let step = contribute(&transcript, 5);
    verify_step(&transcript, &step).unwrap();
    assert_eq!(step, contribute(&transcript, 5));
    assert_ne!(step, contribute(&transcript, 6));
}

#[test]
fn a_real_size() {
    let sizes = &SIZES[..1];
    let mut transcript = ceremony(sizes, 1);
    verify(&transcript, sizes).unwrap();
    let point = &mut transcript.transcripts[0].powers.g1[4095];
    *point = other::<G1>(point);
    let expected = KzgError::Progression { transcript: 0, list: "G1Powers", index: 4095 };
    assert_eq!(verify(&transcript, sizes), Err(expected));
}

#[test]
#[ignore = "a minute: contributes twice to 61,440 points and reads them five times"]
fn long_all_real_sizes() {
    let transcript = ceremony(&SIZES, 2);
    assert_eq!(verify(&transcript, &SIZES).unwrap().participants, 2);
}

/// Every point of a transcript, one at a time.
#[test]
fn every_point() {
    let honest = ceremony(&SMALL, 3);
    for (index, (g1, g2)) in SMALL.into_iter().enumerate() {
        let refusal = |alter: &dyn Fn(&mut Transcript)| {
            let mut altered = honest.clone();
            alter(&mut altered.transcripts[index]);
            verify(&altered, &SMALL).unwrap_err()
        };
        let transcript = index;
        let generator = |list| KzgError::Generator { transcript, list };
        let progression = |list, index| KzgError::Progression { transcript, list, index };
        for at in 0..g1 {
            let expected = match at {
                0 => generator("G1Powers"),
                1 => KzgError::LastProduct { transcript },
                _ => progression("G1Powers", at),
            };
            let error = refusal(&|one| one.powers.g1[at] = other::<G1>(&one.powers.g1[at]));
            assert_eq!(error, expected);
        }
        for at in 0..g2 {
            // A wrong [τ]₂ is first seen beside the powers of G1.
            let expected = match at {
                0 => generator("G2Powers"),
                1 => progression("G1Powers", 1),
                _ => progression("G2Powers", at),
            };
            let error = refusal(&|one| one.powers.g2[at] = other::<G2>(&one.powers.g2[at]));
            assert_eq!(error, expected);
        }
        for at in 0..4 {
            let expected = match at {
                0 => generator("runningProducts"),
                3 => KzgError::LastProduct { transcript },
                at => KzgError::Participant { transcript, index: at },
            };
            let error = refusal(&|one| {
                one.running_products[at] = other::<G1>(&one.running_products[at]);
            });
            assert_eq!(error, expected);
            let expected = match at {
                0 => generator("potPubkeys"),
                at => KzgError::Participant { transcript, index: at },
            };
            let error = refusal(&|one| one.public_keys[at] = other::<G2>(&one.public_keys[at]));
            assert_eq!(error, expected);
        }
    }
}

/// Every point of a contribution, one at a time.
#[test]
fn every_point_of_a_contribution() {
    let before = ceremony(&SMALL, 2);
    let honest = contribute(&before, 3);
    verify_step(&before, &honest).unwrap();
    for (transcript, (g1, g2)) in SMALL.into_iter().enumerate() {
        let refusal = |alter: &dyn Fn(&mut Contribution)| {
            let mut altered = honest.clone();
            alter(&mut altered.contributions[transcript]);
            verify_step(&before, &altered).unwrap_err()
        };
        let participant = KzgError::Participant { transcript, index: 3 };
        let error = refusal(&|one| one.public_key = other::<G2>(&one.public_key));
        assert_eq!(error, participant);
        for at in 0..g1 {
            let error = refusal(&|one| one.powers.g1[at] = other::<G1>(&one.powers.g1[at]));
            match at {
                0 => assert_eq!(error, KzgError::Generator { transcript, list: "G1Powers" }),
                1 => assert_eq!(error, participant),
                index => {
                    let list = "G1Powers";
                    assert_eq!(error, KzgError::Progression { transcript, list, index });
                }
            }
        }
        for at in 0..g2 {
            let error = refusal(&|one| one.powers.g2[at] = other::<G2>(&one.powers.g2[at]));
            assert!(
                matches!(
                    error,
                    KzgError::Generator { transcript: found, .. }
                    | KzgError::Progression { transcript: found, .. } if found == transcript
                ),
                "{error}"
            );
        }
    }
}

#[test]
fn attacks() {
    let honest = ceremony(&SMALL, 3);
    let refusal = |alter: &dyn Fn(&mut BatchTranscript)| {
        let mut altered = honest.clone();
        alter(&mut altered);
        verify(&altered, &SMALL).unwrap_err()
    };
    // All lists multiplied by one factor: progressions, that do not begin with the generators.
    let error = refusal(&|all| {
        let powers = &mut all.transcripts[1].powers;
        powers.g1.iter_mut().for_each(|point| *point = times::<G1>(point, 3));
        all.transcripts[1].running_products[3] = all.transcripts[1].powers.g1[1];
    });
    assert_eq!(error, KzgError::Participant { transcript: 1, index: 3 });
    let error = refusal(&|all| {
        let powers = &mut all.transcripts[1].powers;
        powers.g2.iter_mut().for_each(|point| *point = times::<G2>(point, 3));
    });
    assert_eq!(error, KzgError::Generator { transcript: 1, list: "G2Powers" });
    // Participants in another order, left out, and one who multiplies by what nobody proves.
    let error = refusal(&|all| all.transcripts[0].public_keys.swap(1, 2));
    assert_eq!(error, KzgError::Participant { transcript: 0, index: 1 });
    let error = refusal(&|all| all.transcripts[0].running_products.swap(1, 2));
    assert_eq!(error, KzgError::Participant { transcript: 0, index: 1 });
    let error = refusal(&|all| {
        for one in &mut all.transcripts {
            drop(one.running_products.drain(2..3));
            drop(one.public_keys.drain(2..3));
            drop(one.signatures.drain(2..3));
        }
        all.participant_ids.pop();
        all.participant_ecdsa_signatures.pop();
    });
    assert_eq!(error, KzgError::Participant { transcript: 0, index: 2 });
    // Everybody left out: another ceremony's secret, known to its maker.
    let error = refusal(&|all| {
        for one in &mut all.transcripts {
            one.running_products.truncate(1);
            one.public_keys.truncate(1);
            one.signatures.truncate(1);
        }
        all.participant_ids.truncate(1);
        all.participant_ecdsa_signatures.truncate(1);
    });
    assert_eq!(error, KzgError::NoContributions { transcript: 0 });
    // Transcripts exchanged, one missing, one in place of another of its size.
    let error = refusal(&|all| all.transcripts.swap(0, 1));
    assert_eq!(error, KzgError::Size { transcript: 0, expected: (9, 4), got: (6, 3) });
    let error = refusal(&|all| drop(all.transcripts.pop()));
    assert_eq!(error, KzgError::Count { expected: 2, got: 1 });
    let foreign = ceremony(&SMALL, 1);
    let error = refusal(&|all| all.transcripts[1].powers = foreign.transcripts[1].powers.clone());
    assert_eq!(error, KzgError::LastProduct { transcript: 1 });
    let error = verify(&begin(&SMALL), &SMALL).unwrap_err();
    assert_eq!(error, KzgError::NoContributions { transcript: 0 });
    // A contribution to something else.
    let error = verify_step(&honest, &contribute(&foreign, 7)).unwrap_err();
    assert_eq!(error, KzgError::Participant { transcript: 0, index: 4 });
    let error = kzg::verify_transcript(&honest, &[(9, 4), (1, 1)], &mut rng(1), &());
    assert!(matches!(error, Err(KzgError::Size { transcript: 1, .. })));
}

/// Every character of a contribution's text altered: it is no text any more, or refused.
/// Who multiplies by 1 is counted, and named; together the secrets must not be 1.
#[test]
fn a_participant_without_a_secret() {
    let mut transcript = ceremony(&SMALL, 2);
    let nothing = handed_out(&transcript);
    add(&mut transcript, nothing);
    assert_eq!(verify(&transcript, &SMALL).unwrap().idle, [2]);
    let mut transcript = begin(&SMALL);
    let nothing = handed_out(&transcript);
    add(&mut transcript, nothing);
    let error = verify(&transcript, &SMALL).unwrap_err();
    assert_eq!(error, KzgError::NoSecret { transcript: 0 });
}

/// A sequencer who leaves a participant out makes a right transcript; who kept the earlier one sees.
#[test]
fn a_participant_who_is_dropped_is_missed() {
    let two = ceremony(&SMALL, 2);
    let (mut ana, mut eve) = (two.clone(), two.clone());
    let (first, second) = (contribute(&two, 5), contribute(&two, 6));
    add(&mut ana, first);
    add(&mut eve, second);
    verify(&eve, &SMALL).unwrap();
    let continues = |new: &BatchTranscript, old: &BatchTranscript| {
        kzg::records(new).require_continues(&kzg::records(old), 1)
    };
    continues(&ana, &two).unwrap();
    assert!(matches!(continues(&eve, &ana), Err(Error::Replaced { index: 2 })));
    assert!(matches!(continues(&two, &ana), Err(Error::Dropped { index: 2 })));
    assert!(matches!(continues(&ana, &ana), Err(Error::Added { expected: 1, got: 0 })));
    let mut renamed = ana.clone();
    renamed.participant_ids[2] = "git|2|bob".to_owned();
    assert!(matches!(continues(&renamed, &two), Err(Error::Replaced { index: 1 })));
    let other = ceremony(&[(9, 3), (6, 3)], 2);
    assert!(matches!(continues(&other, &two), Err(Error::OtherCeremony)));
}

#[test]
fn every_character() {
    let before = ceremony(&SMALL, 1);
    let (mut text, step) = (Vec::new(), contribute(&before, 2));
    step.write(&mut text).unwrap();
    let mut refused = [0; 2];
    for at in (0..text.len()).step_by(13) {
        let mut altered = text.clone();
        altered[at] = match altered[at] {
            b'0'..=b'8' | b'a'..=b'e' => altered[at] + 1,
            _ => b'0',
        };
        match BatchContribution::read(altered.as_slice()) {
            Err(_) => refused[0] += 1,
            Ok(read) => {
                assert!(verify_step(&before, &read).is_err(), "character {at}");
                refused[1] += 1;
            }
        }
    }
    assert!(refused[0] > 100, "{refused:?}");
}

/// Neutral keys and points outside the subgroup do not get as far as verification.
#[test]
fn points_that_reading_refuses() {
    let before = ceremony(&SMALL, 1);
    let mut text = Vec::new();
    contribute(&before, 2).write(&mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let key = text.split("potPubkey\":\"").nth(1).unwrap().split('"').next().unwrap();
    let neutral = format!("0xc0{}", "0".repeat(190));
    // The smallest x of a point of the twist outside the subgroup.
    let outside = format!("0x80{}2", "0".repeat(189));
    for wrong in [neutral, outside] {
        let altered = text.replacen(key, &wrong, 1);
        let error = BatchContribution::read(altered.as_bytes()).unwrap_err();
        assert!(error.to_string().starts_with("transcript 0: KZG potPubkey, point 0"), "{error}");
    }
}

/// Longer lists give away higher powers, and points of somebody's choice any: refused unless believed.
#[test]
fn what_is_handed_out_is_verified() {
    let trust = |trusting: bool, handed: &BatchContribution| {
        let mut verifier = rng(97);
        let trust = match trusting {
            true => Trust::Skip,
            false => Trust::verify(&SMALL[..], &mut verifier),
        };
        kzg::contribute(handed, trust, &mut rng(5), &())
    };
    let honest = handed_out(&begin(&SMALL));
    let step = trust(false, &honest).unwrap();
    let tau = G2::from_affine(&step.contributions[0].public_key);

    let mut longer = honest.clone();
    longer.contributions[0].powers.g1.push(G1::affine_generator());
    let answer = trust(true, &longer).unwrap();
    let powers = &answer.contributions[0].powers.g1;
    let (last, beyond) = (G1::from_affine(&powers[8]), G1::from_affine(&powers[9]));
    assert!(Bls12381::is_neutral(&[(-last, tau), (beyond, G2::generator())]), "the ninth power");
    assert!(matches!(trust(false, &longer), Err(KzgError::Size { transcript: 0, .. })));

    // The same secrets twice: a power beyond the last from the last of the first answer.
    let mut again = honest.clone();
    again.contributions[0].powers.g1[1] = step.contributions[0].powers.g1[8];
    let answer = trust(true, &again).unwrap();
    let beyond = G1::from_affine(&answer.contributions[0].powers.g1[1]);
    assert!(Bls12381::is_neutral(&[(-last, tau), (beyond, G2::generator())]));
    let refused = trust(false, &again);
    assert!(matches!(refused, Err(KzgError::Progression { transcript: 0, .. })), "{refused:?}");
    for index in 0..SMALL[1].0 {
        let mut evil = honest.clone();
        evil.contributions[1].powers.g1[index] = other::<G1>(&G1::affine_generator());
        assert!(trust(false, &evil).is_err(), "{index}");
    }
    for index in 0..SMALL[1].1 {
        let mut evil = honest.clone();
        evil.contributions[1].powers.g2[index] = other::<G2>(&G2::affine_generator());
        assert!(trust(false, &evil).is_err(), "{index}");
    }
}
