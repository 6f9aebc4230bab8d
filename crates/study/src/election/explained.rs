//! The checks of an election that holds, by name and with counts.

use claim::Explanation;

use super::{Election, Role, Scheme};
use crate::{
    bundled::BundledBoard,
    checks::{
        BD_5, EL_1, EL_2, EL_3, EL_4, EL_5, EL_6, EL_7, EL_8, EL_9, EL_10, EL_11, EL_12, EL_13,
        EL_14, EL_16, EL_18, EL_21, EL_22, EL_23, EL_24, EL_25, EL_26, VO_1, VO_3,
    },
};

/// The board's checks, and those of every entry that counted.
pub(super) fn election<S: Scheme>(board: &BundledBoard, election: &Election<S>) -> Explanation {
    let description = &election.setup().description;
    let parties = &election.setup().parties;
    let of_kind = |kind: &str| board.entries().iter().filter(|entry| entry.kind() == kind).count();
    let is_timed = election.rules().schedule().is_some();
    let is_logged = board.log().is_some();
    let mut held = board.explained();
    held.put(BD_5, "subjects of entries", if is_logged { board.entries().len() } else { 0 });
    held.put(EL_1, "description", 1);
    let roles = [Role::Operator, Role::Station, Role::Trustee, Role::Mixer];
    let keys = roles.into_iter().map(|role| usize::from(parties.count(role))).sum();
    held.put(EL_2, "parties, with different keys", keys);
    held.put(
        EL_3,
        "parameters of the shuffle, by their digest",
        election.contributors().len().min(1),
    );
    held.put(EL_4, "entries, each in its phase and by its author", board.entries().len() - 1);
    let voters = election.roll().len();
    held.put(EL_5, "voters, with different names and keys", voters);
    held.put(EL_16, "voters in classes", if election.has_classes() { voters } else { 0 });
    let rounds = ["key/commitments", "key/shares", "key/verdicts"];
    let messages = rounds.into_iter().map(of_kind).sum();
    held.put(EL_6, "messages of the key generation", messages);
    let heads = ["election/ready", "election/absent/2", "election/open/2", "election/close/2"];
    let heads = heads.into_iter().map(of_kind).sum();
    held.put(EL_26, "first entry with times, on a log", usize::from(is_timed));
    held.put(EL_21, "heads of the board, as parties saw it", heads);
    held.put(EL_22, "parties that are ready, each with a nonce", of_kind("election/ready"));
    let absences = of_kind("election/absent") + of_kind("election/absent/2");
    held.put(EL_7, "absences", absences);
    held.put(EL_8, "key of the trustees", 1);
    let (accepted, refused) = (election.accepted(), election.refused().len());
    if is_timed {
        held.put(VO_1, "signatures and proofs of ballots that count", accepted);
        held.put(VO_3, "voters, each with the greatest revision", accepted);
    }
    let of_rules = if is_timed { 0 } else { accepted };
    held.put(EL_9, "signatures and proofs of ballots that were accepted", of_rules);
    held.put(EL_9, "ballots that were refused", refused);
    held.put(EL_10, "ballots in the closing's digest", accepted);
    held.put(EL_23, "signatures of the closing", of_kind("election/seen"));
    held.put(EL_24, "turns of mixers", of_kind("mix/header"));
    held.put(EL_25, "parts of mixes", of_kind("mix/part"));
    let mixes = election.mixes().len() * election.lists().len();
    let check = if election.has_classes() { EL_18 } else { EL_11 };
    held.put(check, "mixes: a permutation, and every column moved by it", mixes);
    held.put(EL_12, "partial decryptions", election.decrypted_by().len());
    let rules = description.questions.iter().map(|asked| asked.rules.len()).sum();
    held.put(EL_13, "rules, counted again", rules);
    held.put(EL_13, "faults, all listed in the outcome", election.faults().len());
    held.put(EL_14, "outcome, behind which nothing stands", 1);
    held
}
