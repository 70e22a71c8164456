import BrasaFirestore
import Foundation

/// A snapshot as a table: a row for each document, a column for each field that one of them has. What is new since the
/// last snapshot has a mark in front, and what the server has not confirmed yet one behind its name.
struct Board {
    let text: String

    init(_ snapshot: QuerySnapshot, title: String) {
        let documents = snapshot.documents.map { (snapshot: $0, fields: $0.data(with: .estimate)) }
        let names = Set(documents.flatMap { $0.fields.keys }).sorted()
        let marks = Dictionary(
            snapshot.documentChanges.map { ($0.document.documentID, $0.type == .added ? "+" : "*") },
            uniquingKeysWith: { $1 }
        )
        let rows = documents.map { document in
            let id = document.snapshot.documentID
            let pending = document.snapshot.metadata.hasPendingWrites ? " …" : ""
            return [marks[id] ?? " ", Self.cell(id) + pending] + names.map { Self.cell(document.fields[$0]) }
        }
        let state = snapshot.metadata.isFromCache ? "waiting for the server" : "live"
        let count = snapshot.count == 1 ? "1 document" : "\(snapshot.count) documents"
        let head = "\(Self.cell(title)): \(count), \(state)\n"
        self.text = head + Self.table([[" ", "id"] + names.map { Self.cell($0) }] + rows)
    }

    /// Columns as wide as their widest cell.
    private static func table(_ rows: [[String]]) -> String {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }
        .joined()
    }

    /// A value on one line. Control characters are left out, since documents may hold what others wrote, and a terminal
    /// would obey them.
    private static func cell(_ value: Any?) -> String {
        let text =
            switch value {
            case nil: ""
            case let number as Double: String(format: "%g", number)
            case let time as Timestamp: time.dateValue().formatted(.iso8601)
            case let value?: String(describing: value)
            }
        let shown = text.unicodeScalars.filter { $0.properties.generalCategory != .control }
        return String(String(String.UnicodeScalarView(shown)).prefix(40))
    }
}
