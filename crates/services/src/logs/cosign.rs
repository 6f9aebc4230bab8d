//! Asking witnesses: before anything is signed, whether they saw more than the store has, and then for
//! their lines under every checkpoint.

use std::{
    sync::{Arc, atomic::Ordering::SeqCst},
    time::Duration,
};

use client::logs::Witnessed;
use log::{
    AddCheckpoint, SignedCheckpoint, merkle::consistency_proof, note::NoteSignature,
    verify_cosignature,
};
use tokio::task::JoinSet;

use super::{State, cosigner::Cosigner};

/// Between two rounds at a witness that does not answer.
const PAUSE: Duration = Duration::from_secs(2);
/// A witness that cosigned in between says which size: more often than this it does not.
const ATTEMPTS: usize = 4;

/// What became of a question.
enum Outcome {
    Line(NoteSignature),
    /// The witness saw a log that the store does not have.
    RolledBack(u64),
    Nothing(String),
}

impl Cosigner {
    /// Asks for a line under a checkpoint of the keeper's log.
    fn ask(&self, state: &State, signed: &SignedCheckpoint) -> Outcome {
        let nothing = |error: &dyn ToString| Outcome::Nothing(error.to_string());
        let size = signed.checkpoint().size;
        let mut old = self.seen.load(SeqCst).min(size);
        for _ in 0..ATTEMPTS {
            let proof = consistency_proof(state.keeper().tree(), old, size);
            let proof = match proof {
                Ok(proof) => proof,
                Err(error) => return nothing(&error),
            };
            let request = AddCheckpoint { old, proof, checkpoint: signed.clone() };
            match self.witness.add_checkpoint(&request) {
                Ok(Witnessed::Cosigned(lines)) => {
                    self.seen.fetch_max(size, SeqCst);
                    return self.line(signed, &lines);
                }
                // Another round of this keeper may have been faster.
                Ok(Witnessed::Conflict(seen)) if seen > size => {
                    return match seen > state.keeper().tree().size() {
                        true => Outcome::RolledBack(seen),
                        false => nothing(&"it cosigned a later checkpoint"),
                    };
                }
                Ok(Witnessed::Conflict(seen)) if seen == old => return Outcome::RolledBack(seen),
                Ok(Witnessed::Conflict(seen)) => old = seen,
                Ok(Witnessed::Refused(refusal)) if refusal.is_inconsistent() => {
                    return Outcome::RolledBack(old);
                }
                Ok(Witnessed::Refused(refusal)) => return nothing(&refusal.reason),
                Err(error) => return nothing(&error),
            }
        }
        nothing(&"it says another size every time")
    }

    fn line(&self, signed: &SignedCheckpoint, lines: &str) -> Outcome {
        let text = signed.note().text();
        // A line that is no signature is none of this witness's.
        let lines = lines.lines().filter_map(|line| NoteSignature::from_line(line).ok());
        let mut own = lines.filter(|line| verify_cosignature(text, line, &self.key).is_some());
        let nothing = || Outcome::Nothing("its line is not its cosignature".to_owned());
        own.next().map_or_else(nothing, Outcome::Line)
    }
}

/// Asks every witness at once, each on a thread that may wait for it.
async fn round(state: &Arc<State>, signed: &SignedCheckpoint) -> Vec<(usize, Outcome)> {
    let mut asked = JoinSet::new();
    for index in 0..state.witnesses.len() {
        let (state, signed) = (Arc::clone(state), signed.clone());
        asked.spawn_blocking(move || {
            let witness = state.witnesses.get(index);
            witness.map(|witness| (index, witness.ask(&state, &signed)))
        });
    }
    asked.join_all().await.into_iter().flatten().collect()
}

/// Asks for cosignatures for ever: of the newest checkpoint whenever there is one.
pub(super) async fn run(state: Arc<State>) {
    if state.witnesses.is_empty() || !compare(&state).await {
        return;
    }
    loop {
        let Some(signed) = newest(&state) else {
            state.grown.notified().await;
            continue;
        };
        let (mut cosigned, mut count) = (signed.clone(), 0);
        for (index, outcome) in round(&state, &signed).await {
            match outcome {
                Outcome::Line(line) => {
                    cosigned.add(line);
                    count += 1;
                }
                other => tell(&state, index, &other),
            }
        }
        let is_enough = count >= state.threshold.max(1);
        if is_enough {
            if let Err(error) = state.entries.show(&cosigned) {
                (state.notice)(&error.to_string());
            }
            state.show(cosigned);
        }
        // What was appended meanwhile, or who did not answer, is asked again.
        let grown = state.grown.notified();
        if is_enough && count == state.witnesses.len() {
            grown.await;
        } else {
            // In either case it is time to ask again.
            let _ = tokio::time::timeout(PAUSE, grown).await;
        }
    }
}

/// What witnesses are shown: nothing, while the log is empty or its store does not answer.
fn newest(state: &State) -> Option<SignedCheckpoint> {
    state.keeper().signed().ok().flatten()
}

fn tell(state: &State, index: usize, outcome: &Outcome) {
    let name = state.witnesses.get(index).map_or("", |witness| witness.key.name.as_str());
    match outcome {
        Outcome::Line(_) => {}
        Outcome::RolledBack(seen) => (state.notice)(&format!(
            "witness {name} saw a log of size {seen} that this one does not continue: this copy of the \
             log must not sign"
        )),
        Outcome::Nothing(reason) => (state.notice)(&format!("witness {name}: {reason}")),
    }
}

/// Compares with what the witnesses remember, before anything is signed: a directory that was restored
/// from an older copy would sign a second history. Every one of them must answer: what a single witness
/// saw would convict the keeper. Whether the keeper may go on.
async fn compare(state: &Arc<State>) -> bool {
    loop {
        let signed = match newest(state) {
            Some(signed) => signed,
            // There is one log without entries: signing it says nothing new.
            None => match state.keeper().sign_empty() {
                Ok(signed) => signed,
                Err(error) => {
                    (state.notice)(&error.to_string());
                    return false;
                }
            },
        };
        let answers = round(state, &signed).await;
        answers.iter().for_each(|(index, outcome)| tell(state, *index, outcome));
        if answers.iter().any(|(_, outcome)| matches!(outcome, Outcome::RolledBack(_))) {
            return false;
        }
        let lines = answers.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Line(_)));
        if lines.count() == state.witnesses.len() {
            state.settle();
            return true;
        }
        tokio::time::sleep(PAUSE).await;
    }
}
