//! `choose`: one of several arrays, element by element.
//!
//! Memory traffic: the index once, the results once, and of the arrays the sectors in which an element is chosen. A
//! launch has up to sixteen arrays; with more of them there are several launches, each of which writes the elements
//! chosen from its arrays, and reads the index again.

use cuprum_kernels::params::{Read, Sizes, Strides as Steps, Width};
pub(crate) use cuprum_kernels::source::ChooseMode;
use cuprum_kernels::source::{CHOICES, Choose, ChooseParams};

use crate::array::Array;
use crate::engine::kernels::{Kernels, kernels};
use crate::engine::launch::{Blocks, DevicePtr, Launcher, read, written};
use crate::error::Result;

/// Threads of a block: as in `include/choose.cuh`.
const THREADS: usize = 256;
/// Elements of a block: as in the header.
pub(in crate::engine) const TILE: usize = THREADS * 4;
/// Maximum number of arrays of a launch over many axes, whose strides would not fit in its parameters.
const DEEP_CHOICES: usize = 4;

thread_local! {
    /// The kernels that this thread has launched, by device and key.
    static KERNELS: Kernels<Choose> = Kernels::default();
}

/// Writes to each element of `out` that of the array whose number is in `index`. The index, of integers or booleans,
/// and the arrays, all of the dtype of `out`, have its shape; none shares memory with it. Unless the mode wraps or
/// clips them, all indices must be in bounds.
pub(crate) fn choose(index: &Array, choices: &[Array], mode: ChooseMode, out: &Array) -> Result<()> {
    if out.size() == 0 {
        return Ok(());
    }
    let width = Width::of(out.ndim(), out.size());
    let room = if width.deep { DEEP_CHOICES } else { CHOICES };
    let key = Choose { item: out.itemsize() as u8, index: index.dtype(), mode, room: room as u8, width };
    let device = out.device();
    let [function] = kernels(&KERNELS, device, key, ["choose"], || (key.name(), key.source()))?;
    // Operands that are all contiguous are walked as one axis.
    let dense = [index, out].into_iter().chain(choices).all(Array::is_c_contiguous);
    let (size, of_one) = ([out.size()], |a: &Array| [a.itemsize() as i64]);
    let own: Vec<[i64; 1]> = choices.iter().map(of_one).collect();
    for (launch, part) in choices.chunks(room).enumerate() {
        let mut pointers = [Read(None); CHOICES];
        let mut steps = [Steps::default(); CHOICES];
        for (k, choice) in part.iter().enumerate() {
            pointers[k] = Read(Some(DevicePtr::of(choice)));
            steps[k] = Steps(if dense { &own[launch * room + k] } else { choice.strides() });
        }
        let (out_one, index_one) = (of_one(out), of_one(index));
        let params = ChooseParams {
            width,
            elements: out.size(),
            out: written(out),
            index: read(index),
            choices: pointers,
            begin: (launch * room) as i64,
            count: part.len() as i64,
            total: choices.len() as i64,
            axes: if dense { 1 } else { out.ndim() as u32 },
            sizes: Sizes(if dense { &size } else { out.shape() }),
            out_steps: Steps(if dense { &out_one } else { out.strides() }),
            index_steps: Steps(if dense { &index_one } else { index.strides() }),
            steps: &steps[..room],
        };
        let blocks = Blocks::of(out.size().div_ceil(TILE), out.size(), "elements");
        // SAFETY: sizes and strides reach elements of the arrays only, and an index is the number of one of them.
        unsafe { Launcher::on(device).launch(function, blocks, THREADS, &params) }?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::{Array, ChooseOptions, DType, Error, IndexMode, array, full, zeros};

    /// More arrays than a launch has, over few axes and over many; written over the index itself; to another dtype.
    #[test]
    fn every_array_can_be_chosen() -> Result<(), Error> {
        let choices: Vec<Array> = (0..40).map(|k| full(3, k, DType::F32)).collect::<Result<_, _>>()?;
        let index = array([39i64, 0, 17])?;
        assert_eq!(crate::choose(&index, &choices, ())?.to_vec::<f32>()?, [39.0, 0.0, 17.0]);
        let wrapped = crate::choose(array([-1i8, 41, 80])?, &choices, IndexMode::Wrap)?;
        assert_eq!(wrapped.to_vec::<f32>()?, [39.0, 1.0, 0.0]);
        let clipped = crate::choose(array([-5i8, 41, 2])?, &choices, IndexMode::Clip)?;
        assert_eq!(clipped.to_vec::<f32>()?, [0.0, 39.0, 2.0]);
        let deep = vec![1usize; 9].into_iter().chain([3]).collect::<Vec<_>>();
        let deep_index = index.reshape(deep.iter().map(|n| *n as i64).collect::<Vec<_>>())?;
        assert_eq!(crate::choose(&deep_index, &choices, ())?.to_vec::<f32>()?, [39.0, 0.0, 17.0]);
        let out = zeros(3, DType::I16)?;
        crate::choose(&index, &choices, ChooseOptions::new().out(&out))?;
        assert_eq!(out.to_vec::<i16>()?, [39, 0, 17]);
        let numbers = [array([5i64, 6, 7])?, index.clone()];
        let which = array([1i64, 0, 1])?;
        crate::choose(&which, &numbers, ChooseOptions::new().out(&which))?;
        assert_eq!(which.to_vec::<i64>()?, [39, 6, 17]);
        Ok(())
    }
}
