//! The attacks of section 7 of the specification, line by line, and the tests that make them.
#![allow(clippy::unwrap_used, reason = "a fault here is a failed test")]

use std::{fs, path::Path};

const AUDIT: &str = "table/src/audit/tests.rs";
const CLAIMS: &str = "table/tests/claims.rs";
const KILLED: &str = "cli/tests/table_killed.rs";
const LOG: &str = "table/tests/log.rs";
const MATRIX: &str = "table/src/matrix/tests.rs";
const POLICY: &str = "table/src/query/tests.rs";
const QUERIES: &str = "table/tests/queries.rs";
const SQL: &str = "table/src/sql/tests.rs";
const TREES: &str = "table/tests/trees.rs";
const TRIE: &str = "table/src/trie/tests.rs";
const WITNESSES: &str = "table/tests/witnesses.rs";
const WITNESSED: &str = "cli/tests/table_witnesses.rs";

/// What is attacked, and by which test. Not here, because there are no such things yet: everything
/// about roll-ups (an audit refuses an epoch that names any), and shards of an audit by key.
const ATTACKS: &[(&str, &str, &str)] = &[
    // The defects of the reference.
    ("A: another value commitment in a root", QUERIES, "sums_are_the_sums"),
    ("B: compensated leaf and sibling", TREES, "compensated_leaves_are_refused"),
    ("C: a proof with parameters of its own", AUDIT, "chunks_are_all_there_in_order"),
    ("C: another bit length", MATRIX, "statements_are_those_that_were_proven"),
    ("D: masks that repeat", QUERIES, "two_proofs_of_one_statement_share_no_mask"),
    ("D: masks that repeat, bit matrix", MATRIX, "masks_depend_on_everything"),
    ("E: a challenge without statement", POLICY, "openings_of_another_table_do_not_fit"),
    ("E: a challenge without statement, audit", AUDIT, "proofs_are_bound_to_their_epoch"),
    ("F: the median for the 5th percentile", QUERIES, "values_have_their_rank"),
    ("G: missing, zero, extra range proofs", QUERIES, "values_have_their_rank"),
    ("H: another user's leaf", CLAIMS, "users_find_their_own_rows_only"),
    ("N: a relabelled stub", TRIE, "a_relabelled_stub_hides_nothing"),
    // Audits.
    ("unsorted leaves", AUDIT, "rows_are_sorted_and_in_bounds"),
    ("a negative first value", AUDIT, "rows_are_sorted_and_in_bounds"),
    ("a last value beyond MAX", AUDIT, "rows_are_sorted_and_in_bounds"),
    ("a wrong square", AUDIT, "powers_are_those_of_the_value"),
    ("a pseudonym twice", AUDIT, "rows_are_of_distinct_users_and_counted"),
    ("chunks swapped, missing, extra, unpadded", AUDIT, "chunks_are_all_there_in_order"),
    ("key counts that differ", AUDIT, "several_ordered_columns_speak_of_the_same_rows"),
    ("a key missing from both proof kinds", AUDIT, "large_epochs_are_audited_by_the_bit_matrix"),
    ("bit flips in audits", AUDIT, "no_byte_of_a_bundle_or_header_can_change"),
    // The bit matrix.
    ("D_i off by one", MATRIX, "values_out_of_range_have_no_proof"),
    ("T_j replaced after tau", MATRIX, "no_part_of_a_proof_can_change"),
    ("wrong b", MATRIX, "statements_are_those_that_were_proven"),
    ("permuted list of statements", MATRIX, "statements_are_those_that_were_proven"),
    ("shards swapped", MATRIX, "statements_are_those_that_were_proven"),
    ("a padding bit set", MATRIX, "padding_holds_no_bits"),
    ("a round's commitment altered", MATRIX, "no_part_of_a_proof_can_change"),
    ("a proof one point too long", MATRIX, "no_part_of_a_proof_can_change"),
    // Covers and paths.
    ("an omitted key", TRIE, "covers_hold_exactly_the_keys_of_a_region"),
    ("a stub over a leaf in range", TRIE, "a_relabelled_stub_hides_nothing"),
    ("a label that does not match", TRIE, "no_bit_of_a_proof_can_change"),
    ("lengthened labels, first bits", TRIE, "a_relabelled_stub_hides_nothing"),
    ("padding bits of labels", TRIE, "labels_have_one_encoding"),
    ("leaf encoding for a node and reverse", TREES, "paths_have_the_shape_of_index_and_count"),
    ("a sibling count off the shape", TREES, "paths_have_the_shape_of_index_and_count"),
    ("a key of no rows, a count off by one", QUERIES, "sums_are_the_sums"),
    ("two users with equal keys", TREES, "equal_keys_do_not_merge_users"),
    // Answers.
    ("a doubled sum", QUERIES, "sums_are_the_sums"),
    ("V + l", QUERIES, "sums_are_the_sums"),
    ("V above N MAX", POLICY, "sums_above_what_rows_can_have_are_refused"),
    ("Q outside [0, MAX]", POLICY, "values_beyond_the_bounds_have_no_rank"),
    ("a forged min_count", POLICY, "a_forged_min_count_is_seen_by_the_verifier"),
    (
        "kinds, extremes, p off the policy",
        POLICY,
        "what_the_policy_does_not_allow_is_refused_by_the_verifier",
    ),
    ("a rounded sum off its grid", POLICY, "rounded_sums_are_intervals_on_a_grid"),
    ("a moved cut of TOP", QUERIES, "cuts_cannot_move"),
    ("an edge shown on one side", QUERIES, "cuts_cannot_move"),
    (
        "TOP sums of an extra column",
        QUERIES,
        "queries_outside_of_schema_policy_and_log_are_refused",
    ),
    (
        "a box twice, p outside the grid",
        QUERIES,
        "queries_outside_of_schema_policy_and_log_are_refused",
    ),
    ("IN (1, 1)", SQL, "everything_else_is_refused_with_its_reason"),
    ("epochs past the log", QUERIES, "queries_outside_of_schema_policy_and_log_are_refused"),
    ("another table, epoch, log", QUERIES, "answers_of_another_table_or_log_are_refused"),
    ("no attestation", QUERIES, "only_the_wanted_auditors_make_an_answer_verified"),
    ("bit flips in answers", QUERIES, "no_byte_of_an_answer_can_change"),
    (
        "moments that could wrap, weak quorums",
        TREES,
        "schemas_that_could_wrap_and_weak_quorums_are_refused",
    ),
    // The log.
    ("a rollback", WITNESSES, "witnesses_cosign_logs_that_only_grow"),
    ("two digests for one epoch", KILLED, "killed_at_a_few_points_the_work_goes_on"),
    ("two roots for one size", LOG, "two_histories_are_proven_and_growth_is_none"),
    (
        "two histories, by the command line",
        WITNESSED,
        "two_histories_are_refused_and_become_evidence",
    ),
    (
        "a stale checkpoint, no witnesses",
        WITNESSED,
        "nothing_is_shown_before_a_quorum_has_cosigned",
    ),
    ("a checkpoint of another table", LOG, "checkpoints_are_notes_and_need_operator_and_quorum"),
    ("a skipped epoch", LOG, "epochs_stand_at_their_place_in_the_log"),
    ("a receipt that does not open", LOG, "receipts_open_to_the_users_values"),
    (
        "the old key after a rotation",
        WITNESSES,
        "checkpoints_and_receipts_verify_under_the_key_of_their_time",
    ),
    ("a rotation that is not in the log", WITNESSES, "rotations_are_recorded_in_the_log"),
    ("another K^id for the regulator", CLAIMS, "fingerprints_tell_identity_keys_apart"),
    // Sizes.
    ("no types, N = 1, edges outside", QUERIES, "one_row_and_no_types_are_no_special_cases"),
    ("MIN near -2^63 with four powers", QUERIES, "four_powers_of_large_values_are_exact"),
    ("no keys", TREES, "an_epoch_without_rows_is_an_epoch"),
    ("random tables, ties, extremes", QUERIES, "random_tables_answer_as_plain_computation_does"),
    // Privacy.
    ("a rebuild gives the same bytes", TREES, "the_same_rows_give_the_same_bytes_in_any_order"),
    ("another value, another blinding", TREES, "another_value_has_an_unrelated_blinding"),
    ("absences name nobody else", CLAIMS, "users_find_their_own_rows_only"),
];

#[test]
fn every_attack_has_its_test() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    for (attack, file, test) in ATTACKS {
        let source = fs::read_to_string(crates.join(file)).unwrap();
        let (before, _) = source.split_once(&format!("fn {test}(")).unwrap_or_default();
        assert!(before.contains("#[test]"), "{attack}: no test `{test}` in {file}");
    }
}
