import BrasaBytes
import BrasaDocuments
import BrasaMessages
import BrasaOptions
import BrasaPlatform
import BrasaWire

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
    package var table: [String] { self.table(now: Timestamp(microseconds: Clock.system.wall().microseconds)) }

    func table(now: Timestamp) -> [String] {
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

    private func row(_ index: IndexMessage, now: Timestamp) -> [String] {
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
        case .doesNotFit: "does not fit"
        }
    }

    /// For programs.
    private static func name(_ state: IndexMessage.State) -> String {
        switch state {
        case .abandoned: "abandoned"
        case .doesNotFit: "doesNotFit"
        case .unspecified, .building, .ready: self.text(state)
        }
    }

    static func age(of time: Timestamp, now: Timestamp) -> String {
        DurationText.rounded(.seconds(now.seconds - time.seconds))
    }

    // MARK: For programs

    /// An array with an object for each index.
    package var json: String {
        let objects = self.indexes.map { index in
            var writer = JSONWriter()
            writer.object { writer in Self.write(index, to: &writer) }
            return "  " + String(decoding: writer.bytes, as: UTF8.self)
        }
        return objects.isEmpty ? "[]" : "[\n\(objects.joined(separator: ",\n"))\n]"
    }

    private static func write(_ index: IndexMessage, to writer: inout JSONWriter) {
        writer.member("database", index.database.string)
        writer.member("collectionID", index.collectionID.string)
        writer.member("scope", index.scope == .collectionGroup ? "collectionGroup" : "collection")
        writer.member("key", index.properties.string)
        writer.member("state", self.name(index.state))
        writer.member("entries") { $0.number(index.entries) }
        writer.member("bytes") { $0.number(index.bytes) }
        writer.member("uses") { $0.number(index.uses) }
        if let created = index.createTime { writer.member("created", created.rfc3339(.microseconds)) }
        if let lastUsed = index.lastUseTime { writer.member("lastUsed", lastUsed.rfc3339(.microseconds)) }
    }
}
