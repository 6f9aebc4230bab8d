//! `subrosa-lab attack`.

use std::path::Path;

use serde_json::Value;

use crate::program::succeed;

#[test]
fn every_attack_on_the_prototype_is_refused() {
    let demo = succeed(Path::new("."), &["--json", "attack", "table"]);
    let demo: Value = serde_json::from_str(&demo).unwrap();
    let attacks = demo["attacks"].as_array().unwrap();
    let letters: String = attacks.iter().map(|attack| attack["attack"].as_str().unwrap()).collect();
    assert_eq!(letters, "ABCDEFGHIJKLMN");
    assert!(attacks.iter().all(|attack| attack["refused"].is_string()));
}
