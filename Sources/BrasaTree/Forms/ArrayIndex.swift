/// Keys that are indices of an array: `0`, or digits without a zero in front.
enum ArrayIndex {
    /// Nil for other keys, and above 32 bits, where an array cannot be dense.
    static func value(_ key: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let first = key.first, first != UInt8(ascii: "-"), first != UInt8(ascii: "0") || key.count == 1 else {
            return nil
        }
        return KeyOrder.integer(key).map(Int.init)
    }
}

extension TreeNode {
    /// How many elements the node has as an array; nil when it is none. It is one when all keys are indices and the
    /// largest is less than twice the number of children. The pages know; nothing is walked.
    package var arrayCount: Int? {
        guard let root = self.root, root.summary.hasIndicesOnly else { return nil }
        let last = PageCursor(last: root).withKey(ArrayIndex.value)
        guard let last, last < 2 * root.summary.children else { return nil }
        return last + 1
    }
}
