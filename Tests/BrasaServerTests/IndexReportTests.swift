import BrasaDocuments
import BrasaMessages
import BrasaWire
import Foundation
import Testing

@testable import BrasaServer

@Suite struct IndexReportTests {
    private static let now = Timestamp(microseconds: 1_700_000_000_000_000)

    private func index(
        _ collection: UTF8Text,
        _ state: IndexMessage.State = .ready,
        age: Int64 = 7_200,
        used: Int64? = 59
    ) throws -> IndexMessage {
        let now = Self.now.seconds
        return IndexMessage(
            database: try DatabaseName(project: "p", database: "(default)"),
            collectionID: collection,
            scope: .collectionGroup,
            properties: "(a DESC, __name__ ASC)",
            state: state,
            entries: 1_000,
            bytes: 1 << 20,
            uses: 3,
            createTime: Timestamp(microseconds: (now - age) * 1_000_000),
            lastUseTime: used.map { Timestamp(microseconds: (now - $0) * 1_000_000) }
        )
    }

    @Test func `The table is sorted and aligned, and ends with a total`() throws {
        let report = IndexReport([try self.index("towns", .abandoned, used: nil), try self.index("a")])
        #expect(
            report.table(now: Self.now) == [
                "DATABASE                        COLLECTION  SCOPE  KEY                     STATE     ENTRIES  SIZE     "
                    + "USES  AGE  LAST USED",
                "projects/p/databases/(default)  a           group  (a DESC, __name__ ASC)  ready     1000     1.0 MiB  "
                    + "3     2h   59s ago",
                "projects/p/databases/(default)  towns       group  (a DESC, __name__ ASC)  given up  1000     1.0 MiB  "
                    + "3     2h   never",
                "2 indexes, 2.0 MiB",
            ]
        )
        #expect(IndexReport([]).table == ["0 indexes, 0 B"])
    }

    @Test(
        arguments: [
            (0, "0s"), (-5, "0s"), (60, "1m"), (3_599, "59m"), (3_600, "1h"), (86_400, "1d"), (400 * 86_400, "400d"),
        ] as [(Int64, String)]
    )
    func `Ages are in the largest unit that there is one of`(_ seconds: Int64, _ expected: String) {
        let time = Timestamp(microseconds: (1_700_000_000 - seconds) * 1_000_000)
        #expect(IndexReport.age(of: time, now: Self.now) == expected)
    }

    @Test(
        arguments: [
            (.building, "building", "building"), (.ready, "ready", "ready"), (.abandoned, "given up", "abandoned"),
            (.doesNotFit, "does not fit", "doesNotFit"), (.unspecified, "unknown", "unknown"),
        ] as [(IndexMessage.State, String, String)]
    )
    func `Each state has a name for people and one for programs`(
        _ state: IndexMessage.State,
        _ words: String,
        _ name: String
    ) throws {
        let report = IndexReport([try self.index("a", state)])
        #expect(report.table(now: Self.now)[1].contains("  \(words)  "))
        #expect(report.json.contains("\"\(name)\""))
    }

    @Test func `JSON has every figure as it is`() throws {
        let building = try self.index("a", .building)
        let json = IndexReport([building]).json
        let decoded = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
        let index = try #require(decoded?.first)
        #expect(index["collectionID"] as? String == "a" && index["state"] as? String == "building")
        #expect(index["scope"] as? String == "collectionGroup" && index["key"] as? String == "(a DESC, __name__ ASC)")
        #expect(index["bytes"] as? Int == 1 << 20 && index["lastUsed"] as? String == "2023-11-14T22:12:21.000000Z")
    }
}
