import BrasaDocuments
import BrasaLog
package import BrasaStore

/// What `brasa check` prints about a data folder.
package struct CheckReport: Sendable {
    private let inspection: StoreInspection

    package init(_ inspection: StoreInspection) {
        self.inspection = inspection
    }

    /// A server would start on the folder and lose nothing that it acknowledged.
    package var isSound: Bool { self.inspection.log.isUsable && self.inspection.log.damage.isEmpty }

    package var lines: [String] {
        self.checkpointLines + self.segmentLines + self.recordLines + self.databaseLines
            + self.treeLines + self.willLines + [self.isSound ? "no damage" : "damaged"]
    }

    /// What is wrong, with file and offset.
    package var damageLines: [String] {
        let damage = self.inspection.log.damage.map { "damage: \($0)" }
        return self.isSound || !damage.isEmpty ? damage : ["damage: a server would refuse this folder"]
    }

    private var checkpointLines: [String] {
        self.inspection.log.checkpoints.map { checkpoint in
            let time = Timestamp(microseconds: checkpoint.time).rfc3339(.microseconds)
            return "checkpoint \(checkpoint.file): state at \(time), \(checkpoint.chunks) chunks, "
                + "\(checkpoint.fileBytes) bytes"
        }
    }

    private var segmentLines: [String] {
        self.inspection.log.segments.map { segment in
            let tail = segment.hasTornTail ? ", ends in an unfinished write that a start cuts off" : ""
            return "segment \(segment.file): \(segment.records) records, \(segment.usedBytes) of \(segment.fileBytes) "
                + "bytes used\(tail)"
        } + self.inspection.log.leftovers.map { "leftover \($0): a start removes it" }
    }

    private var recordLines: [String] {
        let log = self.inspection.log
        var lines = ["\(log.records) records, \(log.recordBytes) bytes"]
        if let time = self.inspection.creationTime { lines.append("created at \(time.rfc3339(.microseconds))") }
        if let first = log.firstRecordTime {
            lines.append("first record at \(Timestamp(microseconds: first).rfc3339(.microseconds))")
        }
        if let last = log.lastTime {
            lines.append("last commit at \(Timestamp(microseconds: last).rfc3339(.microseconds))")
        }
        return lines
    }

    private var databaseLines: [String] {
        self.inspection.databases.map { database in
            "\(database.name.string): \(database.documents) documents, \(database.fieldBytes) bytes of fields"
        }
    }

    private var willLines: [String] {
        let (sessions, places) = self.inspection.wills
        guard sessions > 0 else { return [] }
        return ["\(sessions) sessions were open and leave \(places) places to be written: a start does that"]
    }

    private var treeLines: [String] {
        self.inspection.trees.map { "tree \($0.name): \($0.nodes) nodes, about \($0.textBytes) bytes of JSON" }
    }
}
