//! Bodies of requests and answers over HTTP.

use client::{api, stations::About};
use serde::{Serialize, de::DeserializeOwned};
use table::Genesis;

use crate::target::{Target, is_read, readers};

pub fn targets() -> Vec<Target> {
    vec![
        Target::new(
            "client-requests",
            readers![
                json::<api::NewTable>,
                json::<api::RowsRequest>,
                json::<api::PullRequest>,
                json::<api::QueryRequest>,
                json::<api::TokenRequest>,
                json::<api::RevokeRequest>,
                rows,
            ],
        ),
        Target::new(
            "client-answers",
            readers![
                json::<api::Problem>,
                json::<api::Health>,
                json::<api::Tables>,
                json::<api::EpochInfo>,
                json::<api::RowsAccepted>,
                json::<api::RowsPulled>,
                json::<api::Receipts>,
                json::<api::LogView>,
                json::<api::QueryAnswer>,
                json::<api::UserAnswer>,
                json::<api::Keys>,
                json::<api::Revoked>,
                json::<api::Token>,
                json::<api::Consistency>,
                json::<api::Gossip>,
                json::<api::Cosigned>,
                json::<api::Attested>,
                json::<api::Rotated>,
                json::<api::Questions>,
                json::<About>,
            ],
        ),
    ]
}

/// Reads a message; what is written of it is read as the same.
fn json<T: Serialize + DeserializeOwned>(bytes: &[u8]) -> bool {
    let read = serde_json::from_slice::<T>(bytes);
    if let Ok(message) = &read {
        let written = serde_json::to_vec(message).expect("a message is written");
        let again: T = serde_json::from_slice(&written).expect("what was written is read");
        assert_eq!(serde_json::to_vec(&again).expect("a message is written"), written);
    }
    is_read(read)
}

/// Rows of the vectors' table.
fn rows(bytes: &[u8]) -> bool {
    let path = crate::pieces::root().join("vectors/table/sum/objects/table/genesis.json");
    let genesis = Genesis::from_bytes(&std::fs::read(path).expect("the genesis is read"));
    let schema = genesis.expect("the vectors' table").schema;
    let Ok(fields) = serde_json::from_slice::<api::RowFields>(bytes) else { return false };
    api::row_of(&schema, &fields).is_ok()
}
