/// The field numbers of the protocol's messages for values.
enum ValueField {
    static let boolean: UInt32 = 1
    static let integer: UInt32 = 2
    static let double: UInt32 = 3
    static let reference: UInt32 = 5
    static let map: UInt32 = 6
    static let geoPoint: UInt32 = 8
    static let array: UInt32 = 9
    static let timestamp: UInt32 = 10
    static let null: UInt32 = 11
    static let string: UInt32 = 17
    static let bytes: UInt32 = 18
    static let fieldReference: UInt32 = 19
    static let function: UInt32 = 20
    static let pipeline: UInt32 = 21
    static let variableReference: UInt32 = 22

    /// How a member is written; nil for what is no member, which is skipped like any unknown field.
    static func wireType(_ field: UInt32) -> UInt8? {
        switch field {
        case self.boolean, self.integer, self.null: WireReader.Tag.varint
        case self.double: WireReader.Tag.fixed64
        case self.reference, self.map, self.geoPoint, self.array, self.timestamp, self.string, self.bytes,
            self.fieldReference, self.function, self.pipeline, self.variableReference:
            WireReader.Tag.lengthDelimited
        default: nil
        }
    }

    /// In a map entry.
    static let key: UInt32 = 1
    static let value: UInt32 = 2
    /// In ArrayValue and MapValue.
    static let element: UInt32 = 1
    /// In Document.
    static let documentName: UInt32 = 1
    static let documentFields: UInt32 = 2
    static let createTime: UInt32 = 3
    static let updateTime: UInt32 = 4
}

/// The one NaN that is stored.
let canonicalNaN: UInt64 = 0x7FF8_0000_0000_0000
