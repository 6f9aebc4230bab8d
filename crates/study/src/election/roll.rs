//! What must hold of a roll of voters.

use super::Voter;
use crate::description::Class;

/// Checks that no name and no key is there twice, and that every class has enough voters to be opened.
///
/// # Errors
/// What is wrong, and with whom.
pub fn check_roll(roll: &[Voter], classes: &[Class]) -> Result<(), String> {
    let mut names: Vec<&str> = roll.iter().map(|voter| voter.name.as_str()).collect();
    let mut credentials: Vec<_> = roll.iter().map(|voter| voter.credential).collect();
    names.sort_unstable();
    credentials.sort_unstable();
    if let Some([name, _]) = names.array_windows().find(|[a, b]| a == b) {
        return Err(format!("`{name}` is on the roll twice"));
    }
    if let Some([credential, _]) = credentials.array_windows().find(|[a, b]| a == b) {
        return Err(format!("two voters have the credential {credential}"));
    }
    check_classes(classes, roll)
}

/// Every voter's class is one of the description's, and every class can come to be opened.
fn check_classes(classes: &[Class], roll: &[Voter]) -> Result<(), String> {
    if classes.is_empty() {
        return Ok(());
    }
    let mut registered = vec![0_u32; classes.len()];
    for voter in roll {
        let own = voter.class.and_then(|class| registered.get_mut(usize::from(class)));
        *own.ok_or_else(|| format!("`{}` is in no class of the description", voter.name))? += 1;
    }
    let few = classes.iter().zip(registered).find(|(class, own)| *own < class.min_ballots);
    few.map_or(Ok(()), |(class, own)| {
        let Class { name, min_ballots, .. } = class;
        Err(format!("class `{name}` has {own} voters, and is opened from {min_ballots} ballots on"))
    })
}
