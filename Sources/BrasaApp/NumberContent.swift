package import Foundation

/// What an `NSNumber` of a user's holds.
package enum NumberContent: Hashable, Sendable {
    case boolean(Bool)
    case integer(Int64)
    /// An integer that no Int64 holds.
    case unsigned(UInt64)
    case double(Double)

    package init(_ number: NSNumber) {
        guard !number.isBoolean else {
            self = .boolean(number.boolValue)
            return
        }
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "f"), UInt8(ascii: "d"):
            // `JSONSerialization` makes decimals of numbers with many digits, whose own conversion loses the last on Linux.
            let decimal = number is NSDecimalNumber ? Double(number.stringValue) : nil
            self = .double(decimal ?? number.doubleValue)
        case UInt8(ascii: "Q") where number.uint64Value > UInt64(Int64.max): self = .unsigned(number.uint64Value)
        default: self = .integer(number.int64Value)
        }
    }
}

extension NSNumber {
    /// Whether it was made from a boolean. A cast to `Bool` would take 0 and 1 as well.
    fileprivate var isBoolean: Bool {
        #if canImport(ObjectiveC)
            // A boolean and an Int8 have the same type code there.
            CFGetTypeID(self) == CFBooleanGetTypeID()
        #else
            UInt8(bitPattern: self.objCType.pointee) == UInt8(ascii: "c")
        #endif
    }
}
