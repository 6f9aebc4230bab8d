//! The document that says what the server answers, errors included, as the handlers say it.

use client::api;
use utoipa::{
    OpenApi as _, PartialSchema as _, ToSchema as _,
    openapi::{
        Content, InfoBuilder, OpenApi as Document, Ref, RefOr, Response, ResponseBuilder,
        path::{Operation, Parameter, ParameterIn, PathItem},
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};

#[cfg(feature = "sql")]
use super::server::Pulls;
use super::server::Requests;

const PROBLEM: &str = "application/problem+json";

/// The OpenAPI document, made anew from the handlers: `docs/openapi.json` is this one.
pub fn described() -> Document {
    let mut document = Requests::openapi();
    #[cfg(feature = "sql")]
    document.merge(Pulls::openapi());
    document.info = InfoBuilder::new()
        .title("Transparent tables")
        .version("1")
        .description(Some(
            "What the server of a transparent table answers. Proofs are canonical bytes in base64, to be \
             verified by a client; nothing here need be believed. Every error is a problem of RFC 9457 \
             with a `reason`.",
        ))
        .build();
    let components = document.components.get_or_insert_default();
    components.schemas.insert(api::Problem::name().into_owned(), api::Problem::schema());
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
    components.security_schemes.insert("token".to_owned(), SecurityScheme::Http(bearer).into());
    for item in document.paths.paths.values_mut() {
        let PathItem { get, post, .. } = item;
        get.iter_mut().chain(post).for_each(add_problems);
    }
    document
}

/// Methods and paths of every request that the server routes.
pub fn routed() -> impl Iterator<Item = (&'static str, &'static str)> {
    let routed = Requests::LIST.iter();
    #[cfg(feature = "sql")]
    let routed = routed.chain(Pulls::LIST);
    routed.copied()
}

/// Adds every problem that an operation can be answered with.
fn add_problems(operation: &mut Operation) {
    let mut problems = vec![
        (408, "It took too long"),
        (429, "Asked too often, or the policy's budget is spent: see `Retry-After`"),
        (500, "The server failed"),
        (503, "Too many requests wait: see `Retry-After`"),
    ];
    // An operation without a list has no parameters.
    let parameters = operation.parameters.as_deref().unwrap_or_default().iter();
    let parameters: Vec<&Parameter> = parameters
        .filter_map(|parameter| match parameter {
            RefOr::T(parameter) => Some(parameter),
            RefOr::Ref(_) => None,
        })
        .collect();
    let has = |place: &ParameterIn| parameters.iter().any(|one| one.parameter_in == *place);
    if has(&ParameterIn::Path) {
        problems.push((404, "There is no such table, epoch or part of the log"));
    }
    if operation.security.is_some() {
        problems.push((401, "A token is missing, unknown or over"));
        problems.push((403, "The token does not give this right"));
        problems.push((409, "Not in the state that the table or epoch is in"));
    } else {
        // A token that is not needed must be one that is known, nevertheless.
        problems.push((401, "The token is unknown or over"));
    }
    if operation.request_body.is_some() || has(&ParameterIn::Query) || has(&ParameterIn::Header) {
        problems.push((400, "It cannot be read"));
        problems.push((422, "It is read, and refused for what it says"));
    }
    if operation.request_body.is_some() {
        problems.push((409, "Not in the state that the table or epoch is in"));
        problems.push((413, "The body is too large"));
        problems.push((415, "The body is of another media type"));
    }
    if parameters.iter().any(|one| one.name == "Range") {
        problems.push((416, "The bundle has no such range"));
    }
    for (status, description) in problems {
        let response = operation.responses.responses.entry(status.to_string());
        response.or_insert_with(|| RefOr::T(problem(description)));
    }
}

fn problem(description: &str) -> Response {
    let schema = Ref::from_schema_name(api::Problem::name());
    let content = Content::new(Some(schema));
    ResponseBuilder::new().description(description).content(PROBLEM, content).build()
}
