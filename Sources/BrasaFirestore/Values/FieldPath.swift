internal import BrasaDocuments

/// The way to a field: the names of maps in maps and, last, of the field. The names are literal and may contain dots.
public final class FieldPath: Hashable, Sendable {
    let names: [String]
    let stored: BrasaDocuments.FieldPath

    /// Stops the program when there is no name, or one that no field can have.
    public convenience init(_ fieldNames: [String]) {
        self.init(checked: trapping { () throws(UsageError) in try Self.check(fieldNames) })
    }

    /// The pseudo-field for a document's ID, for filters and orders.
    public static func documentID() -> FieldPath {
        FieldPath(checked: (["__name__"], .documentName))
    }

    /// A path as text: names joined by dots, none of them with a dot or one of `~*/[]` in it.
    convenience init(dotted text: String) throws(UsageError) {
        if let character = text.first(where: { "~*/[]".contains($0) }) {
            throw UsageError("Invalid field path '\(text)': it must not contain '\(character)'.")
        }
        let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !names.contains("") else {
            throw UsageError(
                "Invalid field path '\(text)': it must not be empty, begin or end with '.', or contain '..'."
            )
        }
        self.init(checked: try Self.check(names))
    }

    /// What users may give for a field: a path or its text.
    convenience init(any field: Any) throws(UsageError) {
        if let path = field as? FieldPath {
            self.init(checked: (path.names, path.stored))
        } else if let text = field as? String {
            try self.init(dotted: text)
        } else {
            throw UsageError("A field is given as a String or a FieldPath, not as \(type(of: field)).")
        }
    }

    private init(checked: (names: [String], stored: BrasaDocuments.FieldPath)) {
        self.names = checked.names
        self.stored = checked.stored
    }

    private static func check(_ names: [String]) throws(UsageError) -> ([String], BrasaDocuments.FieldPath) {
        guard !names.isEmpty else { throw UsageError("A field path must have at least one name.") }
        if let index = names.firstIndex(of: "") {
            throw UsageError("The name at index \(index) of a field path is empty.")
        }
        do {
            return (names, try BrasaDocuments.FieldPath(names: names.map { UTF8Text($0) }))
        } catch {
            throw UsageError("Invalid field path \(names): \(error.message)")
        }
    }

    public static func == (left: FieldPath, right: FieldPath) -> Bool {
        left.stored == right.stored
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.stored)
    }
}

extension FieldPath: CustomStringConvertible {
    public var description: String { self.stored.canonical }
}
