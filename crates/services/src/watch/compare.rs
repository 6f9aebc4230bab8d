//! What the log that a witness saw says about the one that was audited.

use table::{
    Fault, Hash,
    log::{Evidence, Growth, merkle},
};

/// How two logs of one table go together.
pub(super) enum Relation {
    /// One is the start of the other.
    Continues,
    /// The witness's is longer, and nothing that it shows connects the two.
    Unconnected,
    /// Two histories of log or keys, with what convicts the operator where its signatures do.
    Differs(Option<Box<Evidence>>),
}

/// Compares the audited log, of which all digests are known, with one that a witness saw. Only roots
/// decide: evidence may be impossible, and two roots of one size are two histories nevertheless.
///
/// # Errors
/// [`Fault`] for a log of the witness that its operator did not sign or that does not follow from what
/// is shown with it.
pub(super) fn relate(own: &Growth, digests: &[Hash], seen: &Growth) -> Result<Relation, Fault> {
    seen.verify(None)?;
    // Keys first: where they part, neither log can be verified under the keys of the other.
    if let Some(evidence) = own.succession(seen) {
        return Ok(Relation::Differs(Some(Box::new(evidence))));
    }
    let (ours, theirs) = (&own.signed.checkpoint, &seen.signed.checkpoint);
    let ahead = theirs.size > ours.size;
    // The largest log whose root the witness shows and the digests may give.
    let (size, root) = match ahead {
        true => (seen.since, seen.since_root),
        false => (theirs.size, theirs.root),
    };
    // A size beyond memory is beyond these digests.
    let Some(leaves) = usize::try_from(size).ok().and_then(|size| digests.get(..size)) else {
        return Ok(Relation::Unconnected);
    };
    let leaves: Vec<_> = leaves.iter().map(Hash::as_bytes).collect();
    if merkle::root(&leaves) != root {
        let evidence = match ahead {
            true => seen.fork(&own.signed),
            false => Evidence::between(&own.table, &own.signed, &seen.signed, digests),
        };
        return Ok(Relation::Differs(evidence.map(Box::new)));
    }
    // Beyond a smaller size that both have, the two may part.
    Ok(if ahead && size < ours.size { Relation::Unconnected } else { Relation::Continues })
}
