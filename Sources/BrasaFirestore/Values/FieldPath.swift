internal import BrasaDocuments

/// The way to a field: the names of maps in maps and, last, of the field. The names are literal and may contain dots.
public final class FieldPath: Hashable, Sendable {
    let names: [String]
    private let checked: Result<BrasaDocuments.FieldPath, UsageError>

    /// Every use of a path without a name, or with one that no field can have, fails.
    public convenience init(_ fieldNames: [String]) {
        self.init(fieldNames, Result { () throws(UsageError) in try Self.check(fieldNames) })
    }

    /// The pseudo-field for a document's ID, for filters and orders.
    public static func documentID() -> FieldPath {
        FieldPath(["__name__"], .success(.documentName))
    }

    /// A path as text: names joined by dots, none of them with a dot or one of `~*/[]` in it.
    convenience init(dotted text: String) throws(UsageError) {
        if Self.isName(text) {
            self.init([text], .success(try Self.check([text])))
            return
        }
        if let character = text.first(where: { "~*/[]".contains($0) }) {
            throw UsageError("Invalid field path '\(text)': it must not contain '\(character)'.")
        }
        let names = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard !names.contains("") else {
            throw UsageError(
                "Invalid field path '\(text)': it must not be empty, begin or end with '.', or contain '..'."
            )
        }
        self.init(names, .success(try Self.check(names)))
    }

    /// Whether there is nothing but one name in it, as in nearly all: found out by its bytes, since characters take long.
    private static func isName(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "."), UInt8(ascii: "~"), UInt8(ascii: "*"), UInt8(ascii: "/"), UInt8(ascii: "["),
                    UInt8(ascii: "]"):
                    false
                default: true
                }
            }
    }

    /// The same, and every use of what is no path fails.
    convenience init(text: String) {
        do throws(UsageError) {
            try self.init(dotted: text)
        } catch {
            self.init([text], .failure(error))
        }
    }

    /// What users may give for a field: a path or its text.
    convenience init(any field: Any) throws(UsageError) {
        if let path = field as? FieldPath {
            self.init(path.names, path.checked)
        } else if let text = field as? String {
            self.init(text: text)
        } else {
            throw UsageError("A field is given as a String or a FieldPath, not as \(type(of: field)).")
        }
    }

    private init(_ names: [String], _ checked: Result<BrasaDocuments.FieldPath, UsageError>) {
        self.names = names
        self.checked = checked
    }

    /// As the database has it.
    var stored: BrasaDocuments.FieldPath {
        get throws(UsageError) { try self.checked.get() }
    }

    private static func check(_ names: [String]) throws(UsageError) -> BrasaDocuments.FieldPath {
        guard !names.isEmpty else { throw UsageError("A field path must have at least one name.") }
        if let index = names.firstIndex(of: "") {
            throw UsageError("The name at index \(index) of a field path is empty.")
        }
        do {
            return try BrasaDocuments.FieldPath(names: names.map { UTF8Text($0) })
        } catch {
            throw UsageError("Invalid field path \(names): \(error.message)")
        }
    }

    public static func == (left: FieldPath, right: FieldPath) -> Bool {
        left.checked == right.checked
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.checked)
    }
}

extension FieldPath: CustomStringConvertible {
    public var description: String { (try? self.stored.canonical) ?? self.names.joined(separator: ".") }
}
