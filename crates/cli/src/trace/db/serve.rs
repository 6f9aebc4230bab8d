//! `subrosa trace serve` and `subrosa trace deal` for the engine `db`.

use ::study::tracing::db::{DbFollower, DbNode, DbTracing, DealerNode};
use board::Identity;
use getrandom::SysRng;
use rand_core::UnwrapErr;

use super::super::serve;
use crate::{
    connect::BoardArgs,
    failure::Failure,
    output::Output,
    party::{KeyArgs, take_part, tell},
};

/// Options of `deal`.
#[derive(clap::Args)]
pub struct DealArgs {
    /// The board.
    #[command(flatten)]
    pub board: BoardArgs,
    /// The dealer.
    #[command(flatten)]
    pub party: KeyArgs,
}

/// Does a server's work.
pub fn serve(
    args: &serve::Args,
    means: serve::Means,
    mut follower: DbFollower,
    output: &Output,
) -> Result<(), Failure> {
    let serve::Means { identity, policy, journal } = means;
    let secrets = args.keep.secrets(&args.party, identity, follower.id())?;
    serve::begin(&secrets, &follower)?;
    let (secret, most) = (secrets.server()?, policy.max_questions);
    let node = DbNode::new(&secret, follower.state(), policy, journal);
    let mut node = node.map_err(Failure::input)?.until(args.queries);
    let number = secret.number(follower.state().rules().base()).map_err(Failure::input)?;
    output.done("server", &format!("{number} on board {}", follower.id()));
    let is_used_up = |state: &DbTracing| state.is_used_up(number, most);
    let kept = (&secrets, &args.keep);
    take_part(&mut follower, &mut node, kept, is_used_up, ("server", output))?;
    if !node.unopened().is_empty() {
        let rows = node.unopened();
        output.warn(&format!(
            "some messages were not encrypted to this server, so nothing is proven of rows \
             {rows:?}"
        ));
    }
    output.done("server", "done");
    Ok(())
}

/// Does the dealer's work.
pub fn deal(key: Identity, mut follower: DbFollower, output: &Output) -> Result<(), Failure> {
    let mut dealer = DealerNode::new(key, follower.state()).map_err(Failure::input)?;
    output.done("dealer", &format!("on board {}", follower.id()));
    follower.participate(&mut dealer, &mut UnwrapErr(SysRng), tell("dealer", output))?;
    Ok(())
}
