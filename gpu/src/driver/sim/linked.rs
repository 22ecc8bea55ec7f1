//! Linker of PTX, with the behaviour of CUDA's linker.
//!
//! Functions that several sources define, or that none defines, are the errors of CUDA's linker.

use cuprum_sim::LinkError;

use crate::driver::linkable::{CodeKind, Piece, repeated};
use crate::error::{Error, ErrorKind, Result};

/// Links several sources to one.
pub(super) fn linked(pieces: &[Piece<'_>]) -> Result<Vec<u8>> {
    let mut texts = vec![];
    for (at, piece) in pieces.iter().enumerate() {
        let text = (piece.kind == CodeKind::Ptx).then(|| std::str::from_utf8(piece.code).ok()).flatten();
        let Some(text) = text else {
            let kind = piece.kind;
            let help = if kind == CodeKind::Ltoir { "compile it without -dlto" } else { "give its PTX" };
            let message =
                format!("the simulator links PTX alone, and piece {at} is {kind}, which is for a GPU: {help}");
            return Err(Error::new(ErrorKind::NotImplemented, message));
        };
        texts.push(text);
    }
    let message = match cuprum_sim::link(&texts) {
        Ok(text) => return Ok(text.into_bytes()),
        Err(LinkError::Undefined { symbol, by }) => {
            format!("piece {by} names {symbol}, which no piece defines: link the one that does, under this very name")
        }
        Err(LinkError::Repeated { symbol, by }) => return Err(repeated(&symbol, by)),
    };
    Err(Error::new(ErrorKind::Compile, message))
}
