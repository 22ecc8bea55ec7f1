use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

use super::*;
use crate::s;

/// A tensor over memory of this test, created as another library would.
struct ForeignTensor {
    shape: Vec<i64>,
    strides: Vec<i64>,
    let_go: &'static AtomicUsize,
}

unsafe extern "C" fn gone(tensor: *mut ManagedTensorVersioned) {
    // SAFETY: the tensor is a box of `given`, and so is its context.
    unsafe {
        let carried = Box::from_raw((*tensor).manager_ctx.cast::<ForeignTensor>());
        carried.let_go.fetch_add(1, SeqCst);
        drop(Box::from_raw(tensor));
    }
}

fn given<T>(
    data: &[T],
    dtype: DlDataType,
    shape: &[i64],
    strides: Option<&[i64]>,
    offset: u64,
) -> (ManagedTensorVersioned, &'static AtomicUsize) {
    let let_go: &'static AtomicUsize = Box::leak(Box::default());
    let mut carried =
        Box::new(ForeignTensor { shape: shape.to_vec(), strides: strides.unwrap_or(&[]).to_vec(), let_go });
    let tensor = DlTensor {
        data: data.as_ptr().cast_mut().cast(),
        device: DlDevice { device_type: CPU, device_id: 0 },
        ndim: shape.len() as i32,
        dtype,
        shape: carried.shape.as_mut_ptr(),
        strides: if strides.is_some() { carried.strides.as_mut_ptr() } else { ptr::null_mut() },
        byte_offset: offset,
    };
    let context = Box::into_raw(carried).cast();
    let tensor = ManagedTensorVersioned {
        major: 1,
        minor: 7,
        manager_ctx: context,
        deleter: Some(gone),
        flags: 0,
        dl_tensor: tensor,
    };
    (tensor, let_go)
}

fn taken(
    (tensor, let_go): (ManagedTensorVersioned, &'static AtomicUsize),
    copy: Option<bool>,
) -> (Result<Array>, usize) {
    // SAFETY: the tensor is live, and its deleter frees the box.
    let tensor = unsafe { Tensor::from_versioned(NonNull::from(Box::leak(Box::new(tensor)))) };
    (Array::from_dlpack(tensor, copy), let_go.load(SeqCst))
}

const F32: DlDataType = DlDataType { code: 2, bits: 32, lanes: 1 };

#[test]
fn every_dtype_and_layout_goes_and_comes() -> Result<()> {
    let base = crate::arange(0, 24, 1)?.reshape([2, 3, 4])?;
    for dtype in DType::ALL {
        let a = base.astype(dtype)?;
        for view in [a.clone(), a.t(), a.index(s![.., ..;-1, 1..;2])?, a.index(s![1, 2, 3])?, a.index(s![.., ..0])?] {
            // SAFETY: no stream is passed, and the tensor is taken over immediately.
            let new = unsafe { Tensor::from_versioned(view.to_dlpack(ExportOptions::default())?) };
            // SAFETY: as above.
            let old = unsafe { Tensor::from_unversioned(view.to_dlpack_unversioned(ExportOptions::default())?) };
            for tensor in [new, old] {
                assert_eq!(tensor.device(), view.dlpack_device());
                let back = Array::from_dlpack(tensor, None)?;
                assert_eq!((back.dtype(), back.shape()), (dtype, view.shape()));
                assert_eq!(back.to_bytes()?, view.to_bytes()?, "{dtype}");
            }
        }
    }
    Ok(())
}

#[test]
fn what_the_host_has_is_copied_and_let_go() -> Result<()> {
    let data: Vec<f32> = (0..12).map(|x| x as f32).collect();
    let (a, gone) = taken(given(&data, F32, &[3, 4], None, 0), None);
    assert_eq!((a?.to_vec::<f32>()?, gone), (data.clone(), 1));
    // Reversed rows, every second column; strides count elements.
    let (a, gone) = taken(given(&data, F32, &[3, 2], Some(&[-4, 2]), 32), Some(true));
    assert_eq!((a?.to_vec::<f32>()?, gone), (vec![8., 10., 4., 6., 0., 2.], 1));
    let (a, _) = taken(given(&data, F32, &[], None, 20), None);
    assert_eq!(a?.item::<f32>()?, 5.0);
    // An axis of length 1 may have any stride, and so may those of an empty array.
    let (a, _) = taken(given(&data, F32, &[1, 2], Some(&[i64::MAX / 8, 1]), 0), None);
    assert_eq!(a?.to_vec::<f32>()?, [0.0, 1.0]);
    let (a, _) = taken(given(&data, F32, &[0, 2], Some(&[7, 9]), 0), None);
    assert_eq!(a?.shape(), [0, 2]);
    Ok(())
}

#[test]
fn what_cannot_be_taken_is_rejected_and_let_go() {
    let data = [0f32; 4];
    let change = |f: &dyn Fn(&mut ManagedTensorVersioned), copy| {
        let mut given = given(&data, F32, &[4], None, 0);
        f(&mut given.0);
        let (result, gone) = taken(given, copy);
        assert_eq!(gone, 1, "a rejected tensor was not let go");
        result.expect_err("this cannot be taken")
    };
    let e = change(&|t| t.major = 2, None);
    assert!(e.kind() == ErrorKind::Value && e.message().starts_with("from_dlpack: the tensor is of DLPack 2.7"), "{e}");
    let e = change(&|t| t.dl_tensor.dtype.lanes = 4, None);
    assert!(e.kind() == ErrorKind::Type && e.message().contains("4 lanes"), "{e}");
    let e = change(&|t| t.dl_tensor.device.device_type = 10, None);
    assert!(e.message().contains("device type 10"), "{e}");
    let e = change(&|_| (), Some(false));
    assert!(e.message().contains("only a copy"), "{e}");
}

#[test]
fn what_is_exported_says_what_it_is() -> Result<()> {
    let a = crate::array([1i16, 2, 3])?;
    // SAFETY: no stream is passed.
    let tensor = unsafe { a.to_dlpack(ExportOptions::default()) }?;
    // SAFETY: the tensor is live until it is taken over below.
    let t = unsafe { tensor.as_ref() };
    assert_eq!((t.major, t.minor, t.dl_tensor.ndim, t.dl_tensor.byte_offset), (1, 1, 1, 0));
    assert_eq!(t.dl_tensor.dtype, DlDataType { code: 0, bits: 16, lanes: 1 });
    if a.device().ordinal().is_none() {
        assert_eq!(t.flags, IS_COPIED);
        assert_eq!(t.dl_tensor.data as usize % 256, 0);
        // SAFETY: no stream is passed.
        let e = unsafe { a.to_dlpack(ExportOptions { copy: Some(false), ..ExportOptions::default() }) }.unwrap_err();
        assert!(e.message().starts_with("to_dlpack") && e.message().contains("only a copy"), "{e}");
    }
    // SAFETY: no one else takes ownership of it.
    drop(unsafe { Tensor::from_versioned(tensor) });
    Ok(())
}
