//! `subrosa trace serve` and `subrosa trace deal` for the engine `db`.

use ::study::tracing::{
    TraceKey,
    db::{DbFollower, DbNode, DealerNode},
};
use getrandom::SysRng;
use rand_core::UnwrapErr;

use super::super::serve::{self, tell};
use crate::{connect::BoardArgs, failure::Failure, output::Output, party::KeyArgs};

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
    let serve::Means { secret, policy, journal } = means;
    let node = DbNode::new(&secret, follower.state(), policy, journal);
    let mut node = node.map_err(Failure::input)?.until(args.queries);
    let number = secret.number(follower.state().rules().base()).map_err(Failure::input)?;
    output.done("server", &format!("{number} on board {}", follower.id()));
    follower.participate(&mut node, &mut UnwrapErr(SysRng), tell("server", output))?;
    if !node.unopened().is_empty() {
        let rows = node.unopened();
        output.warn(&format!("not sealed to this server, so nothing is proven of rows {rows:?}"));
    }
    output.done("server", "done");
    Ok(())
}

/// Does the dealer's work.
pub fn deal(key: &TraceKey, mut follower: DbFollower, output: &Output) -> Result<(), Failure> {
    let mut dealer = DealerNode::new(key.identity(), follower.state()).map_err(Failure::input)?;
    output.done("dealer", &format!("on board {}", follower.id()));
    follower.participate(&mut dealer, &mut UnwrapErr(SysRng), tell("dealer", output))?;
    Ok(())
}
