package import Foundation

extension NSNumber {
    /// Whether it was made from a boolean. A cast to `Bool` would take 0 and 1 as well.
    package var isBoolean: Bool {
        #if canImport(ObjectiveC)
            // A boolean and an Int8 have the same type code there.
            CFGetTypeID(self) == CFBooleanGetTypeID()
        #else
            UInt8(bitPattern: self.objCType.pointee) == UInt8(ascii: "c")
        #endif
    }
}
