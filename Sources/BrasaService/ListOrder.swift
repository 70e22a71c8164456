import BrasaDocuments
import BrasaMessages
import BrasaQueries
import BrasaStatus

/// The `order_by` text of ListDocuments, such as `population desc, __name__`: field paths with an optional direction, the
/// name last and in the direction of the last field where it is not there.
struct ListOrder {
    struct Clause {
        var path: FieldPath
        var isDescending: Bool
    }

    /// As many as a query may have; each costs at every document of the collection.
    private static let clausesMax = 100

    /// Without the name.
    private(set) var fields: [Clause] = []
    private(set) var isNameDescending = false

    init(parsing text: UTF8Text) throws(Status) {
        guard !text.bytes.isEmpty else { return }
        let clauses = Self.split(text.bytes)
        guard clauses.count <= Self.clausesMax else {
            throw Status(.invalidArgument, "An order by clause cannot have more than \(Self.clausesMax) fields.")
        }
        var isNameExplicit = false
        for clause in clauses {
            guard !isNameExplicit, let parsed = Self.parse(clause) else {
                throw Status(.invalidArgument, "Invalid order by clause \"\(text.string)\".")
            }
            self.isNameDescending = parsed.isDescending
            if parsed.path.isDocumentName {
                isNameExplicit = true
            } else {
                self.fields.append(parsed)
            }
        }
    }

    /// At the commas outside quotes.
    private static func split(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        var clauses: [ArraySlice<UInt8>] = []
        var start = 0
        var isQuoted = false
        var isEscaped = false
        for (index, byte) in text.enumerated() {
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isQuoted: isEscaped = true
            case UInt8(ascii: "`"): isQuoted.toggle()
            case UInt8(ascii: ",") where !isQuoted:
                clauses.append(text[start..<index])
                start = index + 1
            default: break
            }
        }
        clauses.append(text[start...])
        return clauses
    }

    private static func parse(_ text: ArraySlice<UInt8>) -> Clause? {
        var clause = Self.trimmed(text)
        var isDescending = false
        for (word, descending) in [(" asc", false), (" desc", true)]
        where clause.count > word.utf8.count
            && String(decoding: clause.suffix(word.utf8.count), as: UTF8.self).lowercased() == word
        {
            clause = Self.trimmed(clause.dropLast(word.utf8.count))
            isDescending = descending
            break
        }
        guard let path = try? FieldPath(parsing: clause) else { return nil }
        return Clause(path: path, isDescending: isDescending)
    }

    private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let space = UInt8(ascii: " ")
        let leading = text.drop { $0 == space }
        return leading.prefix(
            (leading.lastIndex { $0 != space }.map { $0 + 1 } ?? leading.startIndex) - leading.startIndex
        )
    }

    /// As a query has it, the name included.
    var orders: [StructuredQuery.Order] {
        (self.fields + [Clause(path: .documentName, isDescending: self.isNameDescending)]).map {
            StructuredQuery.Order(field: $0.path, direction: $0.isDescending ? .descending : .ascending)
        }
    }
}
