// Roots of a forest of parents, and their union (J. Jaiganesh, M. Burtscher, "A High-Performance Connected Components Implementation for
// GPUs", HPDC 2018). A parent has a smaller number than its child, and roots are joined to smaller ones: in the end the root of each
// element is the first of its component, in whatever order elements are joined.

template <class T> DEVICE T parent_of(T *parents, T v) { return *(volatile T *)(parents + v); }

// The root of an element; the path to it is halved, which other threads may see or not.
template <class T> DEVICE T root_of(T *parents, T v) {
  T parent = parent_of(parents, v);
  while (parent != v) {
    const T next = parent_of(parents, parent);
    if (next == parent) return parent;
    atomicMin(parents + v, next);
    v = next;
    parent = parent_of(parents, v);
  }
  return v;
}

// Joins the components of two elements.
template <class T> DEVICE void unite(T *parents, T first, T second) {
  T a = root_of(parents, first), b = root_of(parents, second);
  while (a != b) {
    const T high = a > b ? a : b, low = a > b ? b : a;
    const T found = atomicCAS(parents + high, high, low);
    if (found == high) return;
    a = root_of(parents, found);
    b = root_of(parents, low);
  }
}
