// Arrays passed by value, with their shape and strides. `Indexer` is the position of a loop: `i`, and the index along
// each axis. `Narrow` ones fit in 32 bits, whose division is a fifth of the work.
template <int N, bool Narrow = false> class Indexer {
  ptrdiff_t size_, shape_[N ? N : 1], index_[N ? N : 1];
public:
  static const int ndim = N;
  __device__ ptrdiff_t size() const { return size_; }
  __device__ const ptrdiff_t *shape() const { return shape_; }
  __device__ const ptrdiff_t (&get() const)[N ? N : 1] { return index_; }
  // Sets the indices of consecutive axes from a flat index over them; one axis needs no division.
  template <int From, int To> __device__ void set_part(ptrdiff_t i) {
#pragma unroll
    for (int axis = To - 1; axis > From; axis--) {
      if (Narrow) {
        const unsigned n = (unsigned)shape_[axis], left = (unsigned)i, outer = left / n;
        index_[axis] = left - outer * n;
        i = outer;
      } else {
        index_[axis] = i % shape_[axis];
        i /= shape_[axis];
      }
    }
    if (From < To) index_[From] = i;
  }
  __device__ void set(ptrdiff_t i) {
    if (N == 0) index_[0] = i;
    set_part<0, N>(i);
  }
  // The axes of another index from `first` on, then those before it.
  __device__ void rotate(int first, const Indexer &other) {
#pragma unroll
    for (int axis = 0; axis < N; axis++) {
      const int from = axis + first < N ? axis + first : axis + first - N;
      index_[axis] = other.index_[from];
      shape_[axis] = other.shape_[from];
    }
  }
  // The leading axes of another index, at `i` of `size`.
  template <int M> __device__ void take(const Indexer<M, Narrow> &other, ptrdiff_t size, ptrdiff_t i) {
    size_ = size;
#pragma unroll
    for (int axis = 0; axis < N; axis++) shape_[axis] = other.shape()[axis];
    set(i);
  }
};

// Number of axes of an index type: an integer in C order (-1), or an index for each axis, as an array or by a pointer;
// 0 if the number is not known.
template <class I> struct IndexOf { static const int axes = -1; };
template <class I, int M> struct IndexOf<I[M]> { static const int axes = M; };
template <class I> struct IndexOf<I *> { static const int axes = 0; };

// Array that is accessed by the flat index of an element in C order, or by an index for each axis. `Dense` ones are
// C-contiguous; for `Narrow` ones every offset in bytes fits in 32 bits.
template <class T, int N, bool Dense = false, bool Narrow = false> class CArray {
  T *data_;
  ptrdiff_t size_, shape_[N ? N : 1], strides_[N ? N : 1];
public:
  static const int ndim = N;
  typedef T value_type;
  __device__ T *data() const { return data_; }
  __device__ ptrdiff_t size() const { return size_; }
  __device__ const ptrdiff_t *shape() const { return shape_; }
  __device__ const ptrdiff_t *strides() const { return strides_; }
  template <class... I> __device__ T &at(I... indices) const {
    const ptrdiff_t index[] = {(ptrdiff_t)indices...};
    return of_axes(index);
  }
  template <class I> __device__ T &operator[](const I &index) const {
    static_assert(IndexOf<I>::axes <= 0 || IndexOf<I>::axes == (N ? N : 1), "an index has a number for each axis of the array");
    if constexpr (IndexOf<I>::axes < 0) return in_c_order(index);
    else return of_axes(&index[0]);
  }

private:
  template <class I> __device__ T &of_axes(const I *index) const {
    if (Narrow) {
      int at = 0;
#pragma unroll
      for (int axis = 0; axis < N; axis++) at += (int)index[axis] * (int)strides_[axis];
      return *(T *)((char *)data_ + at);
    }
    ptrdiff_t at = 0;
#pragma unroll
    for (int axis = 0; axis < N; axis++) at += (ptrdiff_t)index[axis] * strides_[axis];
    return *(T *)((char *)data_ + at);
  }
  __device__ T &in_c_order(ptrdiff_t i) const {
    if (Dense) return data_[i];
    ptrdiff_t at = 0, left = i;
#pragma unroll
    for (int axis = N - 1; axis >= 0; axis--) {
      const ptrdiff_t n = axis ? shape_[axis] : left + 1;
      at += left % n * strides_[axis];
      left /= n;
    }
    return *(T *)((char *)data_ + at);
  }
};
