import BrasaBytes

/// Checks values on the wire against every rule of the protocol, in one pass, and finds out whether the bytes are
/// canonical as they stand. Recurses once per level of nesting, at most `Limits.nestingMax` deep.
struct ValueScanner {
    /// Reads all of the memory; every range below is of it.
    private let memory: WireReader
    private(set) var isCanonical = true
    /// The names of the document's field and of the innermost field that are being read, for errors.
    private var topProperty = 0..<0
    private var property = 0..<0

    /// Where a value stands.
    struct Place {
        /// Maps and arrays around the value.
        var depth: Int
        /// Bytes of the field path that the value's map implies; -1 outside any map.
        var pathBytes: Int
        var isInArray = false

        static let document = Place(depth: 0, pathBytes: -1)
    }

    init(_ bytes: UnsafeRawBufferPointer) {
        self.memory = WireReader(bytes)
    }

    mutating func noteNotCanonical() { self.isCanonical = false }

    /// Checks one entry. `previousKey` is the key of the entry before it in the same map; nil for the first.
    /// Tells whether the key is one of the reserved names that some maps may have; those maps need `checkReserved`.
    mutating func entry(
        _ range: Range<Int>,
        in place: Place,
        previousKey: inout Range<Int>?
    ) throws(DocumentError) -> Bool {
        var reader = self.memory.sub(range)
        let parts = try reader.entryParts(isCanonical: &self.isCanonical)
        let key = self.memory.slice(parts.key)
        if place.depth == 0 { self.topProperty = parts.key }
        self.property = parts.key

        guard !key.isEmpty else { throw DocumentError(.fieldNameEmpty) }
        guard key.count <= Limits.idBytesMax else { throw DocumentError(.fieldNameTooLong) }
        let pathBytes = place.pathBytes + 1 + key.count
        guard pathBytes <= Limits.idBytesMax else { throw DocumentError(.fieldPathTooLong) }
        guard UTF8Validation.isValid(key) else { throw DocumentError(.invalidUTF8("field name")) }
        let isReserved = ResourceID.isReserved(key)
        if isReserved && (place.depth == 0 || !ReservedMap.allows(key)) {
            throw DocumentError(.fieldNameReserved(self.text(parts.key)))
        }
        if let previousKey, ByteOrder.compare(self.memory.slice(previousKey), key) != .ascending {
            self.isCanonical = false
        }
        previousKey = parts.key
        try self.value(parts.value, in: Place(depth: place.depth, pathBytes: pathBytes))
        return isReserved
    }

    mutating func value(_ range: Range<Int>, in place: Place) throws(DocumentError) {
        var reader = self.memory.sub(range)
        guard let member = try reader.valueMember(isCanonical: &self.isCanonical) else {
            throw DocumentError(.valueTypeUnset)
        }
        switch member.field {
        case ValueField.integer: break
        case ValueField.boolean: if member.bits > 1 { self.isCanonical = false }
        case ValueField.null: if member.bits != 0 { self.isCanonical = false }
        case ValueField.double:
            if Double(bitPattern: member.bits).isNaN && member.bits != canonicalNaN { self.isCanonical = false }
        case ValueField.string:
            try self.checkLength(member.payload)
            guard UTF8Validation.isValid(self.memory.slice(member.payload)) else {
                throw DocumentError(.invalidUTF8("value of property \"\(self.text(self.property))\""))
            }
        case ValueField.bytes: try self.checkLength(member.payload)
        case ValueField.timestamp:
            var reader = self.memory.sub(member.payload)
            guard try reader.timestamp(isCanonical: &self.isCanonical) != nil else {
                throw DocumentError(.timestampOutOfRange)
            }
        case ValueField.geoPoint: try self.geoPoint(member.payload)
        case ValueField.reference: try QualifiedPath.checkReference(self.memory.slice(member.payload))
        case ValueField.array: try self.array(member.payload, in: place)
        case ValueField.map: try self.map(member.payload, in: place)
        default: throw DocumentError(.valueTypeUnsupported(Self.typeName(member.field)))
        }
    }

    private mutating func array(_ payload: Range<Int>, in place: Place) throws(DocumentError) {
        guard !place.isInArray else { throw DocumentError(.nestedArrays) }
        let inner = Place(depth: try self.deeper(place), pathBytes: -1, isInArray: true)
        var reader = self.memory.sub(payload)
        while let element = try reader.nextElement(of: ValueField.element, isCanonical: &self.isCanonical) {
            try self.value(element, in: inner)
        }
    }

    private mutating func map(_ payload: Range<Int>, in place: Place) throws(DocumentError) {
        let inner = Place(depth: try self.deeper(place), pathBytes: place.pathBytes)
        let property = self.property
        var previousKey: Range<Int>?
        var hasReserved = false
        var reader = self.memory.sub(payload)
        while let entry = try reader.nextElement(of: ValueField.element, isCanonical: &self.isCanonical) {
            if try self.entry(entry, in: inner, previousKey: &previousKey) { hasReserved = true }
        }
        self.property = property
        if hasReserved { try ReservedMap.check(payload, isInArray: place.isInArray, of: self.memory) }
    }

    private func deeper(_ place: Place) throws(DocumentError) -> Int {
        guard place.depth < Limits.nestingMax else {
            throw DocumentError(.nestedTooDeep(property: self.text(self.topProperty)))
        }
        return place.depth + 1
    }

    private func checkLength(_ payload: Range<Int>) throws(DocumentError) {
        guard payload.count <= Limits.valueBytesMax else {
            throw DocumentError(.valueTooLong(property: self.text(self.property)))
        }
    }

    private mutating func geoPoint(_ payload: Range<Int>) throws(DocumentError) {
        var reader = self.memory.sub(payload)
        let (latitude, longitude) = try reader.geoPoint(isCanonical: &self.isCanonical)
        guard (-90.0...90.0).contains(latitude) else { throw DocumentError(.latitudeOutOfRange("\(latitude)")) }
        guard (-180.0...180.0).contains(longitude) else { throw DocumentError(.longitudeOutOfRange("\(longitude)")) }
    }

    private func text(_ range: Range<Int>) -> String {
        String(decoding: self.memory.slice(range), as: UTF8.self)
    }

    private static func typeName(_ field: UInt32) -> String {
        switch field {
        case ValueField.fieldReference: "field_reference_value"
        case ValueField.function: "function_value"
        case ValueField.pipeline: "pipeline_value"
        default: "variable_reference_value"
        }
    }
}
