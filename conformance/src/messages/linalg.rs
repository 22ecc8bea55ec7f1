//! Error messages of linear algebra.

use cuprum::linalg::{self, PinvOptions, QrMode, RankOptions};
use cuprum::{
    CoreAxes, Covariance, DType, EinsumOptions, MatmulOptions, PolyfitOptions, TensordotOptions, VecdotOptions, array,
    einsum, eye, inner, matmul_with, ones, polyfit, roots, tensordot, vdot, vecdot, zeros,
};

use super::messages;

messages! {
    "Linear algebra" {
        linalg::inv(ones([2, 3], ())?)
            => "inv: matrices of 2 rows and 3 columns are not square",
            "`pinv` takes matrices of any shape, `lstsq` solves with them.";
        linalg::qr(ones(3, ())?, QrMode::Reduced)
            => "qr: an array of shape (3,) is no matrix: it needs two axes",
            "`expand_dims` makes a row or a column of it.";
        linalg::inv(ones([2, 2], DType::F16)?)
            => "inv: there is no linear algebra of float16: cast to float32",
            "`astype(DType::F32)`.";
        linalg::solve(eye(2, ())?, ones(3, ())?)
            => "solve: right sides of shape (3,) do not fit matrices of shape (2, 2)",
            "Right sides have as many rows as the matrix.";
        linalg::inv(zeros([2, 2], ())?)?.to_vec::<f64>()
            => "inv: the matrix is singular: its pivot 1 is zero; pinv and lstsq take it",
            "The call that synchronizes reports it; with `CUPRUM_CHECK=now` the call itself does.";
        linalg::cholesky(array([[1.0, 2.0], [2.0, 1.0]])?, ())?.to_vec::<f64>()
            => "cholesky: the matrix is not positive definite: its leading minor 2 is not positive",
            "`eigh` takes any Hermitian matrix, `solve` any square one.";
        linalg::svdvals(array([[f64::NAN]])?)?.to_vec::<f64>()
            => "svdvals: the decomposition of the matrix did not converge; look for NaN and infinity in it",
            "`nan_to_num`, or `isfinite` to find them.";
        linalg::eigvals(array([[f64::NAN]])?)
            => "eigvals: the matrix has elements that are infinite or NaN: it has no eigenvalues",
            "`isfinite` finds them.";
        linalg::pinv(eye(2, ())?, PinvOptions { rcond: Some(0.1.into()), rtol: Some(0.1.into()), ..Default::default() })
            => "pinv: rcond and rtol are both given: they are one share, give one of them",
            "Leave `rcond` out.";
        linalg::matrix_rank(eye(2, ())?, RankOptions { tol: Some(0.1.into()), rtol: Some(0.1.into()), ..Default::default() })
            => "matrix_rank: tol and rtol are both given: they are one bound, give one of them",
            "Leave `tol` out.";
        linalg::lstsq(eye(2, ())?, ones(3, ())?, ())
            => "lstsq: a matrix of 2 rows and right sides of 3 do not go together",
            "Right sides have as many rows as the matrix.";
        linalg::norm(eye(2, ())?, linalg::NormOptions::new().ord(3).axis([0, 1]))
            => "norm: order 3 is no norm of matrices: 1, 2, infinity, their negatives and nuc are",
            "Name one axis for a norm of vectors.";
        linalg::norm(ones(3, ())?, linalg::NormOrder::Frobenius)
            => "norm: the norm of Frobenius is no norm over 1 axes: name one",
            "Of vectors leave the order away.";
        linalg::multi_dot([eye(2, ())?])
            => "multi_dot: 1 arrays have no product: two are needed",
            "Of one matrix there is no product.";
        linalg::tensorinv(eye(2, ())?, 0)
            => "tensorinv: ind is 0: it is the number of first axes, at least 1",
            "It is also the number of last axes of the inverse.";
        linalg::convolution_matrix(ones(3, ())?, 0, linalg::ConvolutionPart::Full)
            => "convolution_matrix: n is 0: it is a number of columns, at least 1",
            "Say how many numbers the matrix is to multiply.";
        linalg::convolution_matrix(zeros(0, ())?, 2, linalg::ConvolutionPart::Full)
            => "convolution_matrix: a line without numbers has no convolution: at least one is needed",
            "Check the length first.";
        linalg::companion(ones(1, ())?)
            => "companion: 1 coefficients have no companion matrix: a power above 0 is needed",
            "Coefficients have the highest power first.";
        linalg::companion(array([0.0, 1.0])?)
            => "companion: the first coefficient is zero: companion divides by it, trim it away",
            "`trim_zeros` with `f`.";
        linalg::leslie(ones(3, ())?, ones(3, ())?)
            => "leslie: 3 fecundities and 3 survivals do not go together: one less is needed, and one",
            "The last age has no survival rate.";
        linalg::khatri_rao(ones([2, 3], ())?, ones([2, 2], ())?)
            => "khatri_rao: operands of shapes (2, 3) and (2, 2) are no matrices with as many columns each",
            "`kron` takes matrices of any sizes.";
        linalg::hadamard(3, None)
            => "hadamard: there is no such matrix of size 3: give a power of two",
            "Of some other sizes there are such matrices, but not by doubling.";
        linalg::hadamard(2, Some(DType::Bool))
            => "hadamard: booleans have no negatives: give another dtype than bool",
            "Leave the dtype out.";
        linalg::helmert(0, ())
            => "helmert: a matrix of size 0 has no first row: give a size of at least 1",
            "Check the size first.";
        linalg::invhilbert(15, true)
            => "invhilbert: the elements of size 15 are no integers of the dtype: sizes to 14 are",
            "Without `exact` they are float64, to size 25.";
        linalg::pascal(35, ())
            => "pascal: the elements of size 35 are no integers of 64 bits: with exact=false they are float64",
            "`PascalOptions::new().exact(false)`.";
        polyfit(ones(2, ())?, ones(2, ())?, -1, ())
            => "polyfit: the degree -1 is negative: give at least 0",
            "0 is a constant.";
        polyfit(ones([2, 2], ())?, ones(2, ())?, 1, ())
            => "polyfit: x is 1-D, of at least one number, not of shape (2, 2)",
            "`ravel` them.";
        polyfit(ones(2, ())?, ones(3, ())?, 1, ())
            => "polyfit: y is 1-D or 2-D, with 2 numbers along the first axis, not of shape (3,)",
            "Pass a value for each point.";
        polyfit(ones(2, ())?, ones(2, ())?, 1, PolyfitOptions::new().w(&ones(3, ())?))
            => "polyfit: w is 1-D, of 2 numbers, not of shape (3,)",
            "Pass a weight for each point.";
        polyfit(array([0.0, 1.0])?, ones(2, ())?, 1, PolyfitOptions::new().cov(Covariance::Scaled))
            => "polyfit: 2 points do not determine the covariance of 2 coefficients: pass more, or request it unscaled",
            "`Covariance::Unscaled`.";
        roots(ones([2, 2], ())?)
            => "roots: coefficients of shape (2, 2) have more than one axis",
            "`eigvals` takes matrices.";
        linalg::cond(zeros([0, 0], ())?, ())
            => "cond: a matrix without elements has no condition",
            "Check the shape first.";
        linalg::solve_triangular(eye(2, ())?, ones(2, ())?, linalg::TriangularOptions::new().trans(3usize))
            => "solve_triangular: trans is 0, 1 or 2, not 3",
            "2 is transposed and conjugated.";
        vdot(ones(2, ())?, ones(3, ())?)
            => "vdot: operands of shapes (2,) and (3,) do not go together: the axes that are summed over differ in length",
            "Operands have as many elements as each other.";
        inner(ones(2, ())?, ones(3, ())?)
            => "inner: operands of shapes (2,) and (3,) do not go together: the axes that are summed over differ in length",
            "The last axes are of one length.";
        vecdot(array(1.0)?, ones(3, ())?, ())
            => "vecdot: an operand of shape () has too few axes: 1 are needed",
            "`multiply` takes numbers.";
        vecdot(ones(3, ())?, ones(3, ())?, VecdotOptions::new().axis(0).axes(CoreAxes::from((0, 0))))
            => "vecdot: axis and axes are both given: one of them says where the vectors are",
            "Give one of them.";
        matmul_with(ones([2, 2], ())?, ones([2, 2], ())?, MatmulOptions::new().axes(CoreAxes::from((0, 0))))
            => "matmul: axes have 2 entries: give one for each operand and each result",
            "The result has an entry, too.";
        matmul_with(ones([2, 2], ())?, ones([2, 2], ())?, MatmulOptions::new().axes(CoreAxes::from((0, [0, 1], [0, 1]))))
            => "matmul: the axes [0] are not as many as the core has there: give 2",
            "A matrix has two axes, a vector one.";
        tensordot(ones(2, ())?, ones(3, ())?, TensordotOptions::new().axes(1usize))
            => "tensordot: operands of shapes (2,) and (3,) do not go together: the axes that are summed over differ in length",
            "`axes` names as many of both, of the same lengths.";
        einsum("ij", [ones(3, ())?], ())
            => "einsum: subscripts \"ij\" do not name the axes of an operand of shape (3,)",
            "A letter for each axis, or `...` for those without.";
        einsum("i,i", [ones(3, ())?], ())
            => "einsum: there are subscripts of 2 operands, and 1 operands",
            "Commas separate operands.";
        einsum("ij,ij->ii", [eye(2, ())?, eye(2, ())?], EinsumOptions::new())
            => "einsum: the result has the subscript Letter('i') twice",
            "After `->` each letter occurs once.";
    }
}
