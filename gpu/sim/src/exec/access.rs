//! Loads and stores.

use super::block::Context;
use super::defined::{Origin, Row, Source, depends_on};
use super::run::row;
use super::warp::{Lane, Warp, first, lanes_of};
use super::{Function, LOCAL_WINDOW, Load, PARAM_WINDOW, SHARED_WINDOW, Store, WINDOW};
use crate::FaultKind;
use crate::memory::{Accessor, Allocation, Denied, How, View};
use crate::ops::Lanes;
use crate::ptx::Space;

/// Returns the space of a generic address.
#[inline]
pub(super) fn space_of(address: u64) -> Space {
    if address < SHARED_WINDOW {
        return Space::Global;
    }
    match address & !(WINDOW - 1) {
        SHARED_WINDOW => Space::Shared,
        LOCAL_WINDOW => Space::Local,
        PARAM_WINDOW => Space::Param,
        _ => Space::Global,
    }
}

/// Converts a generic address to an address in its own space.
#[inline]
pub(super) fn resolve(space: Space, address: u64) -> (Space, u64) {
    if space != Space::Generic {
        return (space, address);
    }
    match space_of(address) {
        Space::Global => (Space::Global, address),
        other => (other, address & (WINDOW - 1)),
    }
}

#[cold]
fn misaligned(address: u64, bytes: u64) -> Denied {
    (FaultKind::Misaligned, format!("{bytes} bytes at {address:#x}, which is not a multiple of {bytes}"))
}

#[inline]
pub(super) fn aligned(address: u64, bytes: u64) -> Result<(), Denied> {
    if address & (bytes - 1) == 0 { Ok(()) } else { Err(misaligned(address, bytes)) }
}

#[inline]
fn extended(value: u64, bytes: u32, bits: u32) -> u64 {
    if bits == 0 {
        return value;
    }
    let shift = 64 - 8 * bytes;
    ((value << shift) as i64 >> shift) as u64 & u64::MAX >> (64 - bits)
}

/// Combines adjacent stores to whole words before they are executed.
struct Gather<'a> {
    allocation: Option<&'a Allocation>,
    word: u64,
    mask: u64,
    value: u64,
    mark_word: u64,
    marks: u64,
}

impl<'a> Gather<'a> {
    #[inline]
    fn put(&mut self, a: &'a Allocation, offset: u64, bytes: u32, value: u64) {
        let same = self.allocation.is_some_and(|b| std::ptr::eq(a, b));
        if !same || self.word != offset / 8 {
            self.flush_data();
            self.word = offset / 8;
        }
        if !same || self.mark_word != offset / 64 {
            self.flush_marks();
            self.mark_word = offset / 64;
        }
        self.allocation = Some(a);
        let ones = u64::MAX >> (64 - 8 * bytes);
        let shift = 8 * (offset % 8);
        self.mask |= ones << shift;
        self.value = self.value & !(ones << shift) | (value & ones) << shift;
        self.marks |= (u64::MAX >> (64 - bytes)) << (offset % 64);
    }

    #[inline]
    fn flush_data(&mut self) {
        if let Some(a) = self.allocation
            && self.mask != 0
        {
            a.merge(self.word, self.mask, self.value);
        }
        (self.mask, self.value) = (0, 0);
    }

    #[inline]
    fn flush_marks(&mut self) {
        if let Some(a) = self.allocation
            && self.marks != 0
        {
            a.mark_written(self.mark_word, self.marks);
        }
        self.marks = 0;
    }
}

impl Warp {
    /// Returns the index of a lane's thread in its block.
    pub(super) fn thread(&self, lane: usize) -> u16 {
        (self.index * 32) as u16 + lane as u16
    }

    pub(super) fn accessor(&self, lane: usize, atomic: bool) -> Accessor {
        Accessor { thread: self.thread(lane), warp_epoch: self.epoch, atomic }
    }

    #[inline(never)]
    pub(super) fn load(
        &mut self,
        cx: &mut Context<'_>,
        function: &Function,
        registers: &mut [Lanes],
        frame: usize,
        load: &Load,
        mask: u32,
    ) -> Lane<()> {
        if load.strong {
            cx.sync();
        }
        let mut address = *row(registers, function, load.address);
        for a in &mut address {
            *a = a.wrapping_add_signed(load.offset);
        }
        if load.space == Space::Param && self.undefined == 0 && address == [address[0]; 32] {
            return self.load_param_row(registers, frame, load, address[0], mask);
        }
        let count = load.targets.len() as u64;
        if count == 1 && load.bytes > 1 && mask == u32::MAX && self.load_run(cx, registers, load, &address)? {
            if let Some(d) = load.targets[0] {
                self.define(frame, d, mask);
            }
            return Ok(());
        }
        match count {
            1 => self.load_elements::<1>(cx, registers, frame, load, &address, mask),
            2 => self.load_elements::<2>(cx, registers, frame, load, &address, mask),
            4 => self.load_elements::<4>(cx, registers, frame, load, &address, mask),
            _ => self.load_elements::<8>(cx, registers, frame, load, &address, mask),
        }
    }

    /// Executes a load of up to `N` elements for each lane.
    #[inline(never)]
    fn load_elements<const N: usize>(
        &mut self,
        cx: &mut Context<'_>,
        registers: &mut [Lanes],
        frame: usize,
        load: &Load,
        address: &Lanes,
        mask: u32,
    ) -> Lane<()> {
        if self.undefined == 0 && self.load_lanes::<false, N>(cx, registers, frame, load, address, mask)? {
            return Ok(());
        }
        self.load_lanes::<true, N>(cx, registers, frame, load, address, mask).map(|_| ())
    }

    /// Executes a load, lane by lane. Without `MARKED`, it does nothing and returns false where a lane reads undefined
    /// bits.
    #[inline]
    fn load_lanes<const MARKED: bool, const N: usize>(
        &mut self,
        cx: &mut Context<'_>,
        registers: &mut [Lanes],
        frame: usize,
        load: &Load,
        address: &Lanes,
        mask: u32,
    ) -> Lane<bool> {
        let count = load.targets.len() as u64;
        let total = u64::from(load.bytes) * count;
        let mut values = [[0u64; 32]; N];
        let mut marks: Option<Box<[Row; N]>> = None;
        let mut mark = |i: usize, l: usize, bits: u64, origin: Origin| {
            let row = &mut marks.get_or_insert_with(|| Box::new(std::array::from_fn(|_| Row::default())))[i];
            (row.bits[l], row.origin[l]) = (bits, origin);
        };
        for l in lanes_of(mask) {
            let (space, at) = resolve(load.space, address[l]);
            let fail = |e| (l, e);
            aligned(at, total).map_err(fail)?;
            if space == Space::Global {
                let (a, offset) = cx.view.find(at, total).map_err(fail)?;
                let options = if load.strong { How::Atomic } else { How::Read };
                if cx.grid.races.is_some() {
                    cx.touch((self.thread(l), self.epoch), (at, total), options, || false).map_err(fail)?;
                }
                let defined = a.is_written(offset, total as u32);
                if !defined {
                    if a.is_freed(offset, total as u32) {
                        return Err((l, View::freed(a, offset, total)));
                    }
                    if !MARKED {
                        return Ok(false);
                    }
                }
                for (i, value) in values.iter_mut().enumerate().take(count as usize) {
                    let offset = offset + i as u64 * u64::from(load.bytes);
                    value[l] = a.load(offset, load.bytes);
                    if MARKED && !defined {
                        let origin = self.origin(Source::Global(a.base + offset, load.bytes), l);
                        mark(i, l, a.undefined(offset, load.bytes), origin);
                    }
                }
                continue;
            }
            for (i, value) in values.iter_mut().enumerate().take(count as usize) {
                let at = at + i as u64 * u64::from(load.bytes);
                let (loaded, undefined) = match space {
                    Space::Shared => cx.shared.load(at, load.bytes, self.accessor(l, load.strong)).map_err(fail)?,
                    Space::Local => self.local.load(l, at, load.bytes).map_err(fail)?,
                    _ => {
                        let frame = if load.space == Space::Generic { 0 } else { frame };
                        if MARKED {
                            let (undefined, origin) = self.param_marks(frame, l, at, load.bytes);
                            mark(i, l, undefined, origin);
                        }
                        (self.load_param(frame, l, at, load.bytes).map_err(fail)?, 0)
                    }
                };
                value[l] = loaded;
                if undefined != 0 {
                    if !MARKED {
                        return Ok(false);
                    }
                    let source = match space {
                        Space::Local => Source::Local(at, load.bytes),
                        _ => Source::Shared(at, load.bytes, cx.shared.is_unwritten(at, load.bytes)),
                    };
                    mark(i, l, undefined, self.origin(source, l));
                }
            }
        }
        for (i, (target, value)) in load.targets.iter().zip(&values).enumerate() {
            let Some(d) = target else { continue };
            super::run::set(registers, *d, mask, |l| extended(value[l], load.bytes, load.extend));
            if MARKED {
                let row = marks.as_ref().map(|marks| &marks[i]);
                let marks = |l: usize| row.map_or((0, Origin::default()), |row| (row.bits[l], row.origin[l]));
                self.set_marks(frame, *d as usize, mask, |l| {
                    (extended(marks(l).0, load.bytes, load.extend), marks(l).1)
                });
            }
        }
        Ok(true)
    }

    /// Executes a load of all lanes from one address or from adjacent ones in global or param space.
    #[inline]
    fn load_run(&mut self, cx: &mut Context<'_>, registers: &mut [Lanes], load: &Load, address: &Lanes) -> Lane<bool> {
        let (space, at) = resolve(load.space, address[0]);
        if cx.grid.races.is_some() || space != Space::Global || aligned(at, load.bytes.into()).is_err() {
            return Ok(false);
        }
        let bytes = u64::from(load.bytes);
        let step = address[1].wrapping_sub(address[0]);
        if step != bytes && step != 0 {
            return Ok(false);
        }
        let mut differs = 0;
        for (l, a) in address.iter().enumerate() {
            differs |= a ^ address[0].wrapping_add(step.wrapping_mul(l as u64));
        }
        if differs != 0 {
            return Ok(false);
        }
        let Some(d) = load.targets[0] else { return Ok(false) };
        let target = &mut registers[d as usize];
        if step == 0 {
            let (a, offset) = cx.view.find(at, bytes).map_err(|e| (0, e))?;
            if !a.is_written(offset, load.bytes) {
                return Ok(false);
            }
            *target = [extended(a.load(offset, load.bytes), load.bytes, load.extend); 32];
            return Ok(true);
        }
        // Where the range is not entirely valid, the lanes are executed one by one to find the faulty one.
        let Ok((a, offset)) = cx.view.find(at, 32 * bytes) else { return Ok(false) };
        if !a.run_written(offset, 32 * bytes) {
            return Ok(false);
        }
        a.load_run(offset, load.bytes, target);
        if load.extend != 0 {
            for value in target {
                *value = extended(*value, load.bytes, load.extend);
            }
        }
        Ok(true)
    }

    /// Executes a load of parameters by all lanes from one address.
    #[inline]
    fn load_param_row(&self, registers: &mut [Lanes], frame: usize, load: &Load, start: u64, mask: u32) -> Lane<()> {
        let bytes = u64::from(load.bytes);
        aligned(start, bytes * load.targets.len() as u64).map_err(|e| (first(mask), e))?;
        for (at, target) in (start..).step_by(load.bytes as usize).zip(&load.targets) {
            self.load_param(frame, first(mask), at, load.bytes).map_err(|e| (first(mask), e))?;
            let Some(d) = target else { continue };
            let (word, shift) = (&self.frames[frame].params[(at / 8) as usize], 8 * (at % 8));
            let ones = u64::MAX >> (64 - 8 * bytes);
            super::run::set(registers, *d, mask, |l| extended(word[l] >> shift & ones, load.bytes, load.extend));
        }
        Ok(())
    }

    pub(super) fn load_param(&self, frame: usize, lane: usize, at: u64, bytes: u32) -> Result<u64, Denied> {
        match self.frames[frame].params.get((at / 8) as usize) {
            Some(word) => Ok(word[lane] >> (8 * (at % 8)) & u64::MAX >> (64 - 8 * bytes)),
            None => Err((FaultKind::OutOfBounds, format!("{bytes} bytes at {at:#x} of the parameters"))),
        }
    }

    pub(super) fn store_param(
        &mut self,
        frame: usize,
        lane: usize,
        at: u64,
        bytes: u32,
        value: u64,
    ) -> Result<(), Denied> {
        match self.frames[frame].params.get_mut((at / 8) as usize) {
            Some(word) => {
                let shift = 8 * (at % 8);
                let ones = u64::MAX >> (64 - 8 * bytes) << shift;
                word[lane] = word[lane] & !ones | value << shift & ones;
                if self.undefined != 0 {
                    self.set_param_marks(frame, lane, at, bytes, (0, Origin::default()));
                }
                Ok(())
            }
            None => Err((FaultKind::OutOfBounds, format!("{bytes} bytes at {at:#x} of the parameters"))),
        }
    }

    #[inline(never)]
    pub(super) fn store(
        &mut self,
        cx: &mut Context<'_>,
        function: &Function,
        registers: &[Lanes],
        frame: usize,
        store: &Store,
        mask: u32,
    ) -> Lane<()> {
        let address = row(registers, function, store.address);
        let count = store.sources.len() as u64;
        let total = u64::from(store.bytes) * count;
        if store.strong {
            cx.sync();
        }
        if self.any_marks(frame, &store.sources) {
            return self.store_marked(cx, function, registers, frame, store, mask);
        }
        if count == 1
            && mask == u32::MAX
            && self.store_run(cx, store, address, row(registers, function, store.sources[0]))
        {
            return Ok(());
        }
        let mut gather = Gather { allocation: None, word: 0, mask: 0, value: 0, mark_word: 0, marks: 0 };
        for l in lanes_of(mask) {
            let (space, at) = resolve(store.space, address[l].wrapping_add_signed(store.offset));
            let fail = |e| (l, e);
            aligned(at, total).map_err(fail)?;
            if space == Space::Global {
                let (a, offset) = cx.view.find(at, total).map_err(fail)?;
                writable(a, offset, total as u32).map_err(fail)?;
                if cx.grid.races.is_some() {
                    // Lanes that store to adjacent addresses must see what earlier lanes stored.
                    gather.flush_data();
                    let options = if store.strong { How::Atomic } else { How::Write };
                    let ones = u64::MAX >> (64 - 8 * store.bytes);
                    let same = || {
                        store.sources.iter().enumerate().all(|(i, s)| {
                            let offset = offset + i as u64 * u64::from(store.bytes);
                            let now = a.is_written(offset, store.bytes).then(|| a.load(offset, store.bytes));
                            now == Some(row(registers, function, *s)[l] & ones)
                        })
                    };
                    cx.touch((self.thread(l), self.epoch), (at, total), options, same).map_err(fail)?;
                }
                for (i, s) in store.sources.iter().enumerate() {
                    gather.put(
                        a,
                        offset + i as u64 * u64::from(store.bytes),
                        store.bytes,
                        row(registers, function, *s)[l],
                    );
                }
                continue;
            }
            for (i, s) in store.sources.iter().enumerate() {
                let at = at + i as u64 * u64::from(store.bytes);
                let value = row(registers, function, *s)[l];
                match space {
                    Space::Shared => cx.shared.store(at, store.bytes, (value, 0), self.accessor(l, store.strong)),
                    Space::Local => self.local.store(l, at, store.bytes, (value, 0)),
                    _ => self.store_param(frame, l, at, store.bytes, value),
                }
                .map_err(fail)?;
            }
        }
        gather.flush_data();
        gather.flush_marks();
        Ok(())
    }

    /// Executes a store of partly undefined values: their marks are stored with them.
    #[cold]
    fn store_marked(
        &mut self,
        cx: &mut Context<'_>,
        function: &Function,
        registers: &[Lanes],
        frame: usize,
        store: &Store,
        mask: u32,
    ) -> Lane<()> {
        let address = row(registers, function, store.address);
        let total = u64::from(store.bytes) * store.sources.len() as u64;
        let ones = u64::MAX >> (64 - 8 * store.bytes);
        for l in lanes_of(mask) {
            let (space, at) = resolve(store.space, address[l].wrapping_add_signed(store.offset));
            let fail = |e| (l, e);
            aligned(at, total).map_err(fail)?;
            for (i, s) in store.sources.iter().enumerate() {
                let at = at + i as u64 * u64::from(store.bytes);
                let value = row(registers, function, *s)[l] & ones;
                let (marks, origin) = self.mark_of(frame, *s, l);
                let target = (space, at, store.bytes);
                self.deposit(cx, frame, l, target, (value, marks & ones, origin), store.strong).map_err(fail)?;
            }
        }
        Ok(())
    }

    /// Stores one value of one lane with its undefined bits, in a resolved space.
    pub(super) fn deposit(
        &mut self,
        cx: &mut Context<'_>,
        frame: usize,
        lane: usize,
        (space, at, bytes): (Space, u64, u32),
        (value, marks, origin): (u64, u64, Origin),
        strong: bool,
    ) -> Result<(), Denied> {
        match space {
            Space::Global => {
                let (a, offset) = cx.view.find(at, bytes.into())?;
                writable(a, offset, bytes)?;
                let options = if strong { How::Atomic } else { How::Write };
                cx.touch((self.thread(lane), self.epoch), (at, bytes.into()), options, || false)?;
                a.update(offset, bytes, |_| value);
                a.set_undefined(offset, bytes, marks);
                if marks != 0 {
                    a.note_store(offset, cx.site(self.index, lane, self.line));
                }
                Ok(())
            }
            Space::Shared => cx.shared.store(at, bytes, (value, marks), self.accessor(lane, strong)),
            Space::Local => self.local.store(lane, at, bytes, (value, marks)),
            _ => {
                self.store_param(frame, lane, at, bytes, value)?;
                self.set_param_marks(frame, lane, at, bytes, (marks, origin));
                Ok(())
            }
        }
    }

    /// Loads one value of one lane from a resolved space, with its undefined bits and their origin.
    pub(super) fn fetch(
        &mut self,
        cx: &mut Context<'_>,
        lane: usize,
        (space, at, bytes): (Space, u64, u32),
    ) -> Result<(u64, u64, Source), Denied> {
        Ok(match space {
            Space::Shared => {
                let (value, undefined) = cx.shared.load(at, bytes, self.accessor(lane, false))?;
                let unwritten = undefined != 0 && cx.shared.is_unwritten(at, bytes);
                (value, undefined, Source::Shared(at, bytes, unwritten))
            }
            Space::Local => {
                let (value, undefined) = self.local.load(lane, at, bytes)?;
                (value, undefined, Source::Local(at, bytes))
            }
            Space::Param => {
                (self.load_param(0, lane, at, bytes)?, self.param_marks(0, lane, at, bytes).0, Source::Param)
            }
            _ => {
                let (a, offset) = cx.view.find(at, bytes.into())?;
                if a.is_freed(offset, bytes) {
                    return Err(View::freed(a, offset, bytes.into()));
                }
                cx.touch((self.thread(lane), self.epoch), (at, bytes.into()), How::Read, || false)?;
                let undefined = if a.is_written(offset, bytes) { 0 } else { a.undefined(offset, bytes) };
                (a.load(offset, bytes), undefined, Source::Global(at, bytes))
            }
        })
    }

    /// Executes a store of all lanes to adjacent addresses in global memory, which fill whole words.
    #[inline]
    fn store_run(&mut self, cx: &mut Context<'_>, store: &Store, address: &Lanes, value: &Lanes) -> bool {
        let (space, at) = resolve(store.space, address[0].wrapping_add_signed(store.offset));
        let bytes = u64::from(store.bytes);
        if cx.grid.races.is_some() || space != Space::Global || bytes < 4 || at % 8 != 0 {
            return false;
        }
        let mut differs = 0;
        for (l, a) in address.iter().enumerate() {
            differs |= a ^ address[0].wrapping_add(bytes * l as u64);
        }
        if differs != 0 {
            return false;
        }
        match cx.view.find(at, 32 * bytes) {
            Ok((a, offset)) if !a.constant && !a.any_freed(offset, 32 * bytes) => {
                a.store_run(offset, store.bytes, value);
                true
            }
            // The lanes are executed one by one to find the faulty one.
            _ => false,
        }
    }

    /// Returns the value of `bytes` bytes at a generic address, as a system call reads it.
    pub(super) fn peek(&mut self, cx: &mut Context<'_>, lane: usize, address: u64, bytes: u32) -> Result<u64, Denied> {
        let (space, at) = resolve(Space::Generic, address);
        aligned(at, bytes.into())?;
        let (value, undefined, source) = self.fetch(cx, lane, (space, at, bytes))?;
        if undefined != 0 {
            return Err(depends_on(cx, "what a system call reads", &self.origin(source, lane)));
        }
        Ok(value)
    }
}

#[inline]
pub(super) fn writable(a: &Allocation, offset: u64, bytes: u32) -> Result<(), Denied> {
    if a.is_freed(offset, bytes) {
        return Err(View::freed(a, offset, bytes.into()));
    }
    if a.constant {
        return Err((FaultKind::OutOfBounds, format!("a write to constant memory at {:#x}", a.base + offset)));
    }
    Ok(())
}
