//! The table server against the OpenAPI document that it serves, by schemathesis: whatever is sent,
//! the answer is one that the document has, and no server error.
use std::{fs, process::Command};

use crate::support::{STEP, Server, batch, fields, now, user};

/// Checks that hold for every server. Left out are those that take any answer but 2xx to a
/// well-formed request for a failure (`positive_data_acceptance`): most are about tables and epochs
/// that there are not; and those that need two requests to know an answer is wrong.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
    response_headers_conformance,response_schema_conformance,negative_data_rejection,\
    missing_required_header,unsupported_method,allow_header_conformance,ignored_auth";
/// More requests than that take too long for a test.
const EXAMPLES: &str = "25";

#[test]
#[ignore = "needs schemathesis: scripts/openapi-check installs and names it"]
fn every_answer_is_documented_and_none_is_a_server_error() {
    let program = std::env::var_os("SUBROSA_TEST_SCHEMATHESIS");
    let program = program.expect("scripts/openapi-check names schemathesis");
    let unlimited = "[limits]\nrequests_per_second = 1000000\nburst = 1000000\n";
    let server = Server::with(unlimited, vec![], vec![]);
    let mut custodian = server.client("operator");
    custodian.ingest(1, (0..40).map(fields).collect(), "sealed", now()).unwrap();
    custodian.seal(1, STEP).unwrap();
    assert_eq!(server.post("/v1/tables/pay/rows", "operator", &batch(2, 0..40)).status, 200);
    let of_user = custodian.token(&user(7), 3600).unwrap().token.clone();
    // Everything, by whoever may do it, on a table and epochs that there are; and by nobody.
    let runs = [
        (None, None),
        (Some(of_user.as_str()), Some(1)),
        (Some(&server.tokens["everything"]), Some(1)),
        (Some(&server.tokens["everything"]), Some(2)),
    ];
    for (run, (token, epoch)) in runs.into_iter().enumerate() {
        let fixed = epoch.map_or_else(String::new, |epoch| {
            format!(
                "[parameters]\n\"path.table\" = \"pay\"\n\"path.epoch\" = {epoch}\n\
                 \"query.epoch\" = 1\n"
            )
        });
        let config = server.directory.path().join("schemathesis.toml");
        fs::write(&config, fixed).unwrap();
        let mut command = Command::new(&program);
        command.current_dir(server.directory.path());
        command.arg("--config-file").arg(&config);
        command.args(["run", &server.url("/openapi.json"), "--checks", CHECKS]);
        command.args(["--phases", "examples,coverage,fuzzing", "--max-examples", EXAMPLES]);
        command.args(["--seed", &run.to_string(), "--workers", "1", "--continue-on-failure"]);
        command.args(["--suppress-health-check", "all", "--request-timeout", "30"]);
        if let Some(token) = token {
            command.arg("--header").arg(format!("Authorization: Bearer {token}"));
        }
        assert!(command.status().unwrap().success(), "run {run}: see above");
    }
    // It is still there, and has nothing to tell its operator.
    assert_eq!(server.get("/health", None).status, 200);
    let notices = server.directory.path().join("server.notices");
    assert!(!notices.exists(), "{}", fs::read_to_string(notices).unwrap());
}
