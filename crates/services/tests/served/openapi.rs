//! The document of what the server answers is the one in `docs/`, and says enough.
use std::{collections::BTreeSet, fs, path::Path};

use crate::support::Server;
use serde_json::Value;

fn document() -> Value {
    serde_json::to_value(services::tables::described()).unwrap()
}

/// `OPENAPI=write cargo test -p subrosa-services --test served` writes the document anew.
#[test]
#[cfg_attr(not(feature = "sql"), ignore = "the document is that of a server with sources in SQL")]
fn the_document_in_docs_is_the_one_that_is_served() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let text = serde_json::to_string_pretty(&document()).unwrap() + "\n";
    if std::env::var_os("OPENAPI").is_some() {
        fs::write(&path, &text).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), text, "write it anew, and look at what changed");
    let server = Server::start();
    assert_eq!(server.get("/openapi.json", None).json(), document());
}

#[test]
fn every_request_that_is_routed_is_documented_and_no_other() {
    let document = document();
    let documented: BTreeSet<(String, String)> = document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .flat_map(|(path, item)| {
            item.as_object().unwrap().keys().map(|method| (method.clone(), path.clone()))
        })
        .collect();
    // The router's name for what may have slashes is `{*tile}`.
    let routed = services::tables::routed()
        .map(|(method, path)| (method.to_owned(), path.replace("{*", "{")))
        .collect();
    assert_eq!(documented, routed);
}

#[test]
fn every_operation_says_how_it_fails() {
    let document = document();
    let mut operations = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let responses = operation["responses"].as_object().unwrap();
            for status in ["408", "429", "500", "503"] {
                let content = &responses[status]["content"]["application/problem+json"];
                let schema = &content["schema"]["$ref"];
                assert_eq!(schema, "#/components/schemas/Problem", "{method} {path} {status}");
            }
            let secured = operation.get("security").is_some();
            assert_eq!(secured, responses.contains_key("403"), "{method} {path}");
            assert!(responses.keys().any(|status| status.starts_with('2')), "{method} {path}");
            assert!(operation["operationId"].is_string() && operation["tags"].is_array());
            operations += 1;
        }
    }
    assert!(operations >= 26, "{operations}");
    // Whatever is referred to is there.
    let text = document.to_string();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    for part in text.split("#/components/schemas/").skip(1) {
        let name = part.split('"').next().unwrap();
        assert!(schemas.contains_key(name), "{name}");
    }
}
