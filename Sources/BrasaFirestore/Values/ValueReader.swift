internal import BrasaApp
internal import BrasaDocuments
internal import Foundation

/// Reads the values that users give. Collects on its way what of a write is not a value: the paths of a merge and the
/// operations that the server computes.
struct ValueReader {
    /// What is read, which decides what is allowed in it.
    enum Use {
        case set
        case merge
        case update
        /// Of an array operation. No array, and no operation.
        case element
        /// Of a filter or a cursor. No operation.
        case operand
    }

    let database: DatabaseName
    let use: Use
    /// The names on the way to the value that is read; of no meaning inside arrays.
    var names: [UTF8Text] = []
    private(set) var mask: [BrasaDocuments.FieldPath] = []
    private(set) var transforms: [FieldTransform] = []
    private var arrayDepth = 0
    private var isDirectlyInArray = false

    init(database: DatabaseName, use: Use) {
        self.database = database
        self.use = use
        self.isDirectlyInArray = if case .element = use { true } else { false }
    }

    /// The value without the operations in it; nil when it is one itself.
    mutating func value(_ given: Any) throws(UsageError) -> Value? {
        if let scalar = Self.common(given) {
            try self.addToMask()
            return scalar
        }
        // Of optionals the cast takes the value out, and finds no other type in an empty one.
        if let optional = given as? any AnyOptional, optional.isNil {
            try self.addToMask()
            return .null
        }
        if let operation = given as? FieldValue {
            try self.add(operation)
            return nil
        }
        if let scalar = try self.scalar(given) {
            try self.addToMask()
            return scalar
        }
        if let map = given as? [String: Any] {
            return .map(sorting: try self.map(map))
        }
        if let array = given as? [Any] {
            try self.addToMask()
            return .array(try self.array(array))
        }
        throw UsageError("Unsupported type: \(type(of: given))\(self.found)")
    }

    /// A map's entries, in no order.
    mutating func map(_ map: [String: Any]) throws(UsageError) -> [Value.MapEntry] {
        if map.isEmpty { try self.addToMask() }
        let wasDirectlyInArray = self.isDirectlyInArray
        self.isDirectlyInArray = false
        defer { self.isDirectlyInArray = wasDirectlyInArray }
        var entries: [Value.MapEntry] = []
        entries.reserveCapacity(map.count)
        for (key, given) in map {
            let name = UTF8Text(key)
            self.names.append(name)
            try self.check(name: key)
            if let value = try self.value(given) {
                entries.append(Value.MapEntry(key: name, value: value))
            }
            self.names.removeLast()
        }
        return entries
    }

    private mutating func array(_ array: [Any]) throws(UsageError) -> [Value] {
        guard !self.isDirectlyInArray else {
            throw UsageError("Arrays directly in arrays are not supported\(self.found)")
        }
        self.arrayDepth += 1
        self.isDirectlyInArray = true
        defer {
            self.arrayDepth -= 1
            self.isDirectlyInArray = false
        }
        var values: [Value] = []
        values.reserveCapacity(array.count)
        for element in array {
            // An operation, which would leave nothing, was refused.
            if let value = try self.value(element) { values.append(value) }
        }
        return values
    }

    private func check(name: String) throws(UsageError) {
        guard !name.isEmpty else { throw UsageError("A field name must not be empty\(self.found)") }
        guard !(name.utf8.count >= 4 && name.hasPrefix("__") && name.hasSuffix("__")) else {
            throw UsageError("A field name must not begin and end with '__'\(self.found)")
        }
    }

    /// A merge sets the leaves of its data.
    private mutating func addToMask() throws(UsageError) {
        guard case .merge = self.use, self.arrayDepth == 0, !self.names.isEmpty else { return }
        self.mask.append(try self.path())
    }

    private func path() throws(UsageError) -> BrasaDocuments.FieldPath {
        do {
            return try BrasaDocuments.FieldPath(names: self.names)
        } catch {
            throw UsageError("\(error.message)\(self.found)")
        }
    }

    /// Where in the data the error is.
    private var found: String {
        guard !self.names.isEmpty else { return "." }
        return " (found in field \(self.names.map(\.string).joined(separator: ".")))."
    }

    private mutating func add(_ given: FieldValue) throws(UsageError) {
        switch self.use {
        case .set, .merge, .update: break
        case .element, .operand:
            throw UsageError("\(given.name) can only be used with updateData() and setData()\(self.found)")
        }
        guard self.arrayDepth == 0 else {
            throw UsageError("\(given.name) is not supported inside arrays\(self.found)")
        }
        if case .delete = given.operation {
            switch self.use {
            case .merge: try self.addToMask()
            case .update:
                throw UsageError("FieldValue.delete() can only appear at the top level of updateData()\(self.found)")
            case .set, .element, .operand:
                throw UsageError(
                    "FieldValue.delete() can only be used with updateData() and setData() with merge\(self.found)"
                )
            }
        } else if let operation = try self.operation(given) {
            self.transforms.append(FieldTransform(path: try self.path(), operation: operation))
        }
    }

    private func operation(_ given: FieldValue) throws(UsageError) -> FieldTransform.Operation? {
        switch given.operation {
        case .delete: nil
        case .serverTimestamp: .requestTime
        case .arrayUnion(let elements): .appendMissingElements(try self.elements(elements))
        case .arrayRemove(let elements): .removeAllFromArray(try self.elements(elements))
        case .increment(let number): .increment(Value(number))
        case .minimum(let number): .minimum(Value(number))
        case .maximum(let number): .maximum(Value(number))
        }
    }

    private func elements(_ given: [Any]) throws(UsageError) -> [Value] {
        var reader = ValueReader(database: self.database, use: .element)
        reader.names = self.names
        var values: [Value] = []
        for element in given {
            if let value = try reader.value(element) { values.append(value) }
        }
        return values
    }
}

extension Value {
    init(_ number: FieldValue.Number) {
        switch number {
        case .integer(let integer): self = .integer(integer)
        case .double(let double): self = .double(double)
        }
    }
}
