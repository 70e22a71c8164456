import BrasaBytes
import BrasaDocuments
import BrasaIdentity
import BrasaPlatform
import BrasaTokens

extension RuleDeployments {
    init?(parsing bytes: [UInt8]) {
        let countMax = (Self.databasesMax + 1) * Self.historyMax
        guard bytes.count <= Self.bytesMax, let members = JSONText.object(bytes, valuesMax: countMax * 8),
            members["version"] == .integer(1), case .list(let entries) = members["deployments"]
        else { return nil }
        var all: [RuleDeployment] = []
        for entry in entries {
            guard case .map(let entry) = entry, let deployment = RuleDeployment(entry),
                deployment.number > all.last?.number ?? 0
            else { return nil }
            all.append(deployment)
        }
        self.init(all)
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("version") { $0.number(1) }
            writer.member("deployments") { $0.array(self.all) { $0.write(to: &$1) } }
        }
        return writer.bytes
    }
}

extension RuleDeployment {
    fileprivate init?(_ entry: [ClaimName: Claim]) {
        guard case .integer(let number) = entry["number"], let number = Int(exactly: number), number > 0,
            case .integer(let time) = entry["time"], case .text(let author) = entry["author"]
        else { return nil }
        var (database, digest, restored): (DatabaseName?, String?, Int?) = (nil, nil, nil)
        if let value = entry["database"] {
            // What is for one database must not become what is for all because a name cannot be read.
            guard case .text(let text) = value, let name = try? DatabaseName(parsing: text.utf8) else { return nil }
            database = name
        }
        if let value = entry["digest"] {
            // It is a file's name.
            guard case .text(let text) = value, text.utf8.count == 64, text.utf8.allSatisfy(Self.isDigit) else {
                return nil
            }
            digest = text
        }
        if let value = entry["restored"] {
            guard case .integer(let integer) = value, let number = Int(exactly: integer) else { return nil }
            restored = number
        }
        self.init(
            number: number,
            database: database,
            time: WallTime(microseconds: time),
            author: author,
            digest: digest,
            restored: restored
        )
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
    }

    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("number") { $0.number(self.number) }
            if let database = self.database { writer.member("database", database.string) }
            writer.member("time") { $0.number(self.time.microseconds) }
            writer.member("author", self.author)
            if let digest = self.digest { writer.member("digest", digest) }
            if let restored = self.restored { writer.member("restored") { $0.number(restored) } }
        }
    }
}
