/// The rules for one segment of a path: a collection id or a document id.
enum ResourceID {
    enum Flaw { case empty, dots, reserved, tooLong }

    /// The id's bytes hold no `/` and are valid UTF-8.
    static func flaw(of id: UnsafeRawBufferPointer, isDocumentID: Bool) -> Flaw? {
        switch id.count {
        case 0: return .empty
        case 1: return id[0] == UInt8(ascii: ".") ? .dots : nil
        case 2: return id[0] == UInt8(ascii: ".") && id[1] == UInt8(ascii: ".") ? .dots : nil
        case 3, 4: return nil
        case ...Limits.idBytesMax: break
        default: return .tooLong
        }
        guard self.isReserved(id) else { return nil }
        return isDocumentID && self.number(id) != nil ? nil : .reserved
    }

    /// `__.*__` with at least one character between the underscores; used for field names as well.
    static func isReserved(_ id: UnsafeRawBufferPointer) -> Bool {
        let underscore = UInt8(ascii: "_")
        return id.count >= 5 && id[0] == underscore && id[1] == underscore
            && id[id.count - 1] == underscore && id[id.count - 2] == underscore
    }

    /// The number of a numeric id, `__id<int64>__` in its shortest form. Other spellings of a number (`__id05__`) are
    /// no numeric ids, so that every document has one name.
    static func number(_ id: UnsafeRawBufferPointer) -> Int64? {
        guard id.count >= 7, id.count <= 26, self.isReserved(id), id[2] == UInt8(ascii: "i"), id[3] == UInt8(ascii: "d")
        else { return nil }
        let digits = UnsafeRawBufferPointer(rebasing: id[4..<(id.count - 2)])
        let isNegative = digits[0] == UInt8(ascii: "-")
        let first = isNegative ? 1 : 0
        guard digits.count > first else { return nil }
        if digits[first] == UInt8(ascii: "0") { return digits.count == 1 ? 0 : nil }
        var number: Int64 = 0
        for byte in digits[first...] {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            let digit = Int64(byte - UInt8(ascii: "0"))
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflow2) =
                isNegative ? product.subtractingReportingOverflow(digit) : product.addingReportingOverflow(digit)
            if overflow || overflow2 { return nil }
            number = sum
        }
        return number
    }

    /// Numeric ids first, by value; then all others by their bytes.
    static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Ordering {
        switch (self.number(left), self.number(right)) {
        case (let left?, let right?): Ordering(left, right)
        case (_?, nil): .ascending
        case (nil, _?): .descending
        case (nil, nil): ByteOrder.compare(left, right)
        }
    }
}
