//! Why a check has no mutant.

/// Why a check, or all checks of a chapter that have none, have no mutant here.
const WITHOUT: &[(&str, &str)] = &[
    (
        "CB-11",
        "the name of a kind's checks as a whole: the others of the kind's chapter stand for it",
    ),
    (
        "TW",
        "mixes in elections are checked in one equation, whose refusal is `EL-11`; files of mixes are no bundles: `scripts/spec-check vectors` changes each field of theirs and sees it refused by its check",
    ),
    ("TB-9", "it is `TB-1`, `TB-8`, `TB-5` to `TB-7` and `TB-4`, which refuse by their own names"),
    (
        "TH",
        "made about messages of an election's board, of which a refusal says `EL-6`, `EL-9` (which makes the closing false, `EL-10`) or `EL-12`",
    ),
    ("TR-1", UNOPENED),
    (
        "TR-2",
        "a submission that does not hold has no effect on its board: the servers mixed another one, so the mix is not opened, `TR-13`",
    ),
    ("TR-3", UNOPENED),
    ("TR-4", UNOPENED),
    ("TR-5", UNOPENED),
    ("TR-6", UNOPENED),
    (
        "TR-7",
        "a query that does not hold has no effect on its board: an answer is then of none that is there, `TR-13`",
    ),
    ("TR-8", IN_AN_ANSWER),
    ("TR-9", IN_AN_ANSWER),
    ("TR-10", IN_AN_ANSWER),
    ("TR-11", IN_AN_ANSWER),
    ("TR-12", IN_AN_ANSWER),
    ("LG-1", "made about each leaf of a board: a refusal says `BD-4`"),
    ("LG-2", "made about each payload of a board: a refusal says `BD-4`"),
    ("LG-3", FOLLOWED),
    ("LG-4", FOLLOWED),
    ("LG-5", "made about the checkpoint of a board's log: a refusal says `BD-3`"),
    ("LG-6", FOLLOWED),
    ("LG-7", "a promise is in no bundle: `crates/log/tests` makes what it refuses"),
    ("LG-8", "made about the leaves of a board: a refusal says `BD-3`"),
    ("LG-9", EVIDENCE),
    ("LG-10", EVIDENCE),
    ("LG-11", "made about the leaves of a board: a refusal says `BD-3`"),
    (
        "VO",
        "made about ballots, of which a false one is refused, which is no fault: `crates/study/tests/election/sealing.rs` changes every byte",
    ),
    ("EL-15", "made about the description: a refusal says `EL-1`"),
    (
        "EL-17",
        "the class is in the tracker: a ballot for another class is refused by itself, and the closing is then false, `EL-10`",
    ),
    ("EL-19", "what a decryption is about: a refusal says `EL-12`"),
    ("EL-20", "made about the tally: a refusal says `EL-13`"),
    (
        "EL-24",
        "says whose turn it is, and so whom the phase waits for: a message out of turn is refused by `EL-4`",
    ),
    (
        "EL-26",
        "the kind of the first entry says which version it is, and one of another kind than its description is refused as it is decoded, `CV-4`",
    ),
    (
        "CE-3",
        "a secret of 1, of which its maker shows knowledge: `a_secret_of_one_is_no_contribution`, a test, makes it",
    ),
    ("CE-25", "the name of phase 2's checks as a whole: `CE-10` to `CE-15` stand for it"),
    ("CE-19", "of ceremonies of Sonic, of which there are no claims"),
    ("CE-20", "of ceremonies of Sonic, of which there are no claims"),
    ("CE-21", "of Ethereum's ceremony, of which there are no claims"),
    ("CE-22", "of Ethereum's ceremony, of which there are no claims"),
    ("CE-24", "the name of phase 1's checks as a whole: `CE-2` to `CE-9` stand for it"),
    (
        "TA-6",
        "rows of a key are at most 2^40 (`TA-4`) and bound by `TA-5`: only an operator that committed to so many could make one",
    ),
    (
        "TA-17",
        "the policy is bound by the table's name: only an operator that proves against its own policy could make one",
    ),
    ("TC-5", "the equation of a range proof: a refusal says `TC-4`, or `TA-10` in an answer"),
    ("TC-7", "the equations of the bit matrix: a refusal says `TC-4`"),
    ("SM-8", "made as the statement is compared: a refusal says `CB-12`"),
];

/// What is said of a mix on a board.
const UNOPENED: &str = "a server's message that does not hold has no effect on its board: the mix is not opened then, \
                        `TR-13`";

/// What is said of an answer's record.
const IN_AN_ANSWER: &str = "a part of `TR-13`, which refuses an answer's record as a whole: `crates/trace/tests` makes \
                            what each refuses";

/// What is said of following a log.
const FOLLOWED: &str = "made by who follows a log, of which a bundle has all leaves from the first one on: \
                        `crates/log/tests` makes what it refuses";

/// What is said of a keeper's faults.
const EVIDENCE: &str = "evidence about a log's keeper is a file of its own, in no bundle: `crates/log/tests` makes \
                        what it refuses";

/// A check, and the tests of the programs that make what it refuses.
type Tested = (&'static str, &'static [&'static str]);

/// What holds of several checks.
const TESTED: &[(&str, &[Tested])] = &[
    (
        "made as a message of a board is read: one that does not hold has no effect there, or begins no \
         session, and the refusal is `DB-32`",
        &[
            ("DB-1", &["a_modulus_that_is_3_modulo_4_is_refused", "impossible_keys_do_not_decode"]),
            (
                "DB-2",
                &[
                    "a_shared_modulus_of_2048_bits_is_the_challenge_number",
                    "roots_of_a_modulus_prove_nothing_else",
                ],
            ),
            (
                "DB-3",
                &[
                    "elements_that_are_no_units_do_not_decode",
                    "elements_with_jacobi_symbol_minus_one_do_not_decode",
                ],
            ),
        ],
    ),
    (
        "an equation or a bound of a proof within other messages, which `DB-14` to `DB-30` refuse with it, in a bundle as \
         `DB-32`",
        &[
            ("DB-4", &["changed_contributions_are_refused", "responses_out_of_range_are_refused"]),
            (
                "DB-5",
                &[
                    "changed_plaintext_proofs_are_refused",
                    "plaintexts_longer_than_claimed_are_refused",
                ],
            ),
            ("DB-6", &["proofs_of_openings_belong_to_their_part"]),
            (
                "DB-7",
                &["changed_shuffles_are_refused", "integers_that_agree_modulo_q_only_are_refused"],
            ),
            (
                "DB-8",
                &["changed_shares_are_refused", "a_false_share_is_refused_wherever_it_stands"],
            ),
            ("DB-9", &["ciphertexts_that_were_never_formed_by_encryption_do_not_open"]),
            ("DB-10", &["servers_out::in_fakes_and_turns"]),
            ("DB-11", &["every_byte_of_a_submission_counts"]),
        ],
    ),
    (
        "made about a board's first entry, without which there is no session: the refusal is `DB-32`",
        &[("DB-12", &["rules_say_whom_to_trust"])],
    ),
    (
        "made about the session's keys: false ones end the session before its mix, and the refusal is `DB-32`",
        &[
            ("DB-13", &["a_sealing_key_is_of_its_server_and_session"]),
            ("DB-14", &["rogue_and_foreign_keys_are_refused"]),
            ("DB-15", &["rules_say_whom_to_trust"]),
        ],
    ),
    (
        "a submission that does not hold is left out: the servers mixed others, so the mix is not opened, `DB-32`",
        &[("DB-16", &["copies_and_replays_are_refused", "every_byte_of_a_submission_counts"])],
    ),
    (
        "a server's message that does not hold has no effect on its board, or ends the session: the mix is not opened, \
         `DB-32`",
        &[("DB-17", &["servers_in::in_the_mix"]), ("DB-18", &["servers_in::in_the_mix"])],
    ),
    (
        "a query that does not hold has no effect on its board: an answer is then of none that is there, `DB-32`",
        &[("DB-19", &["requests_are_for_the_session_its_rows_one_question_and_the_right_way"])],
    ),
    (
        "made about an answer's record, step by step: one that does not hold refuses the whole, `DB-32`",
        &[
            ("DB-20", &["what_nobody_waits_for_is_not_taken", "no_byte_of_an_answer_may_change"]),
            (
                "DB-21",
                &[
                    "invalid_signatures_going_in_are_refused_and_named",
                    "a_query_needs_two_keys_and_a_dealer",
                ],
            ),
            ("DB-22", &["servers_in::in_turns_and_blindings"]),
            ("DB-23", &["servers_in::in_turns_and_blindings"]),
            ("DB-24", &["a_server_that_spoils_a_step_is_named"]),
            ("DB-25", &["servers_in::in_shares_and_proofs"]),
            (
                "DB-26",
                &[
                    "invalid_signatures_going_out_are_refused_and_named",
                    "numbers_that_precede_the_key_are_refused",
                ],
            ),
            ("DB-27", &["servers_out::in_fakes_and_turns"]),
            ("DB-28", &["servers_out::in_fakes_and_turns"]),
            (
                "DB-29",
                &[
                    "only_the_dealers_blindings_for_the_routed_lists_are_taken",
                    "a_server_refuses_a_share_that_is_not_of_its_public_part",
                ],
            ),
            ("DB-30", &["servers_out::in_shares_and_proofs"]),
        ],
    ),
    (
        "a row for which it does not hold is unproven, which is no refusal: the answer is then another one than the \
         statement has, `CB-12`",
        &[("DB-31", &["every_response_has_its_term", "no_byte_of_an_answer_may_change"])],
    ),
    (
        "made about parameters of an election by pairings: the refusal is `EL-3`",
        &[
            (
                "PS-1",
                &[
                    "hostile::points_outside_the_subgroup_are_refused_everywhere",
                    "every_point_of_the_reference_string_counts",
                ],
            ),
            ("CE-16", &["somebody_elses_secrets", "contributions_stay_where_they_were_made"]),
            ("CE-17", &["every_point_of_a_ceremony_bls12_381", "rounds_are_in_their_order"]),
            ("CE-18", &["every_point_of_a_crs", "lists_of_other_lengths"]),
        ],
    ),
    (
        "made about a mix of an election by pairings: the refusal is `EL-11`",
        &[
            ("PS-2", &["hostile::points_outside_the_subgroup_are_refused_everywhere"]),
            ("PS-3", &["attacks::a_mix_is_bound_to_its_place"]),
            ("PS-4", &["attacks::lengths_must_fit"]),
            ("PS-5", &["every_point_of_proof_and_outputs_counts"]),
            ("PS-6", &["every_point_of_proof_and_outputs_counts"]),
            (
                "PS-7",
                &["every_point_of_proof_and_outputs_counts", "every_point_of_the_inputs_counts"],
            ),
        ],
    ),
];

/// The checks and chapters that have a sentence.
pub fn named() -> impl Iterator<Item = &'static str> {
    let tested = TESTED.iter().flat_map(|(_, checks)| *checks).map(|(check, _)| *check);
    WITHOUT.iter().map(|(check, _)| *check).chain(tested)
}

/// The sentence of a check, or of its chapter.
pub fn why(check: &str) -> String {
    let letters = check.split('-').next().unwrap();
    let chapter = || WITHOUT.iter().find(|(name, _)| *name == letters);
    let own = WITHOUT.iter().find(|(name, _)| *name == check).or_else(chapter);
    let reason = own.map(|(_, reason)| (*reason).to_owned()).or_else(|| tested(check));
    assert!(reason.is_some(), "{check}: neither a mutant nor a reason");
    reason.unwrap()
}

fn tested(check: &str) -> Option<String> {
    let tests =
        |checks: &[Tested]| checks.iter().find(|(own, _)| *own == check).map(|(_, tests)| *tests);
    let both = TESTED.iter().find_map(|(reason, checks)| Some((reason, tests(checks)?)));
    let (reason, tests) = both?;
    let named: Vec<String> = tests.iter().map(|test| format!("`{test}`")).collect();
    let make = if named.len() == 1 { "a test, makes" } else { "tests, make" };
    Some(format!("{reason}. {}, {make} what it refuses", named.join(" and ")))
}
