import BrasaDocuments
import BrasaMessages
import BrasaOptions
import BrasaWire
import Foundation

/// What `brasa indexes` prints.
package struct IndexReport: Sendable {
    private let indexes: [IndexMessage]

    init(_ indexes: [IndexMessage]) {
        self.indexes = indexes.sorted { Self.sortKey($0).lexicographicallyPrecedes(Self.sortKey($1)) }
    }

    private static func sortKey(_ index: IndexMessage) -> [String] {
        [
            index.database.string, index.collectionID.string, index.scope == .collection ? "" : "group",
            index.properties.string,
        ]
    }

    // MARK: For people

    /// A table, its columns aligned, and a line of totals.
    package var table: [String] { self.table(now: Date()) }

    func table(now: Date) -> [String] {
        let header = ["DATABASE", "COLLECTION", "SCOPE", "KEY", "STATE", "ENTRIES", "SIZE", "USES", "AGE", "LAST USED"]
        let rows = [header] + self.indexes.map { self.row($0, now: now) }
        let widths = header.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        let lines = rows.map { row in
            // The last column is not filled up.
            zip(row, widths).dropLast().map { cell, width in
                cell + String(repeating: " ", count: width - cell.count) + "  "
            }.joined() + (row.last ?? "")
        }
        let bytes = self.indexes.reduce(0) { $0 + $1.bytes }
        let total = "\(self.indexes.count) \(self.indexes.count == 1 ? "index" : "indexes")"
        return (self.indexes.isEmpty ? [] : lines) + ["\(total), \(ByteCountText.format(bytes))"]
    }

    private func row(_ index: IndexMessage, now: Date) -> [String] {
        [
            index.database.string, index.collectionID.string,
            index.scope == .collectionGroup ? "group" : "collection", index.properties.string, Self.text(index.state),
            String(index.entries), ByteCountText.format(index.bytes), String(index.uses),
            index.createTime.map { Self.age(of: $0, now: now) } ?? "",
            index.lastUseTime.map { "\(Self.age(of: $0, now: now)) ago" } ?? "never",
        ]
    }

    private static func text(_ state: IndexMessage.State) -> String {
        switch state {
        case .unspecified: "unknown"
        case .building: "building"
        case .ready: "ready"
        case .abandoned: "given up"
        }
    }

    /// In the largest unit that there is at least one of.
    static func age(of time: Timestamp, now: Date) -> String {
        let seconds = max(0, Int64(clamping: Int(now.timeIntervalSince1970)) - time.seconds)
        switch seconds {
        case ..<60: return "\(seconds)s"
        case ..<3_600: return "\(seconds / 60)m"
        case ..<86_400: return "\(seconds / 3_600)h"
        default: return "\(seconds / 86_400)d"
        }
    }

    // MARK: For programs

    private struct Entry: Encodable {
        let database: String
        let collectionID: String
        let scope: String
        let key: String
        let state: String
        let entries: Int64
        let bytes: Int64
        let uses: Int64
        let created: String?
        let lastUsed: String?
    }

    /// One object for each index.
    package func json() throws -> String {
        let entries = self.indexes.map { index in
            Entry(
                database: index.database.string,
                collectionID: index.collectionID.string,
                scope: index.scope == .collectionGroup ? "collectionGroup" : "collection",
                key: index.properties.string,
                state: index.state == .abandoned ? "abandoned" : Self.text(index.state),
                entries: index.entries,
                bytes: index.bytes,
                uses: index.uses,
                created: index.createTime?.text,
                lastUsed: index.lastUseTime?.text
            )
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(entries), as: UTF8.self)
    }
}
