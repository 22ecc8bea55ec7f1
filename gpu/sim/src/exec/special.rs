//! Special registers.

use super::block::Context;
use super::warp::Warp;
use super::{Mask, SpecialRegister};
use crate::ops::Lanes;

impl Warp {
    pub(super) fn special(&self, cx: &Context<'_>, register: SpecialRegister) -> Lanes {
        let same = |x: u64| [x; 32];
        match register {
            SpecialRegister::Zero => same(0),
            SpecialRegister::Tid(axis) => self.tid[axis],
            SpecialRegister::Ntid(axis) => same(cx.grid.block[axis].into()),
            SpecialRegister::Ctaid(axis) => same(cx.block[axis].into()),
            SpecialRegister::Nctaid(axis) => same(cx.grid.grid[axis].into()),
            SpecialRegister::LaneId => std::array::from_fn(|l| l as u64),
            SpecialRegister::WarpId => same(self.index.into()),
            SpecialRegister::NWarpId => same(cx.grid.block.iter().product::<u32>().div_ceil(32).into()),
            SpecialRegister::LaneMask(mask) => std::array::from_fn(|l| {
                let bit = 1u64 << l;
                match mask {
                    Mask::Eq => bit,
                    Mask::Lt => bit - 1,
                    Mask::Le => 2 * bit - 1,
                    Mask::Gt => !(2 * bit - 1) & 0xffff_ffff,
                    Mask::Ge => !(bit - 1) & 0xffff_ffff,
                }
            }),
            SpecialRegister::Clock => same((cx.clock + self.instructions) & 0xffff_ffff),
            SpecialRegister::Clock64 => same(cx.clock + self.instructions),
            SpecialRegister::GridId => same(1),
            SpecialRegister::SmId => same(0),
            SpecialRegister::NSmId => same(1),
            SpecialRegister::DynamicShared => same(cx.grid.dynamic_shared),
            SpecialRegister::DynamicStart => same(cx.grid.program.functions[cx.grid.entry].shared.dynamic_start()),
            SpecialRegister::Workspace(upper) => same(cx.grid.workspace >> if upper { 32 } else { 0 } & 0xffff_ffff),
            SpecialRegister::TotalShared => same(cx.grid.shared_bytes),
        }
    }
}
