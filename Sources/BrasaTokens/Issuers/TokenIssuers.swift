import BrasaIdentity
package import BrasaPlatform

/// A configuration of issuers that cannot be meant.
package enum TokenIssuersError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One would stand for the other's users.
    case duplicate(String)
    case unreadable(DiskError)
    case malformed(path: String)
    case tooLong(path: String)

    package var description: String {
        switch self {
        case .duplicate(let name): "there are two issuers named \(name)"
        case .unreadable(let error): error.description
        case .malformed(let path):
            """
            \(path) is not as in {"issuers": [{"issuer": "https://id.example", "audiences": ["app"], \
            "keys": "https://id.example/keys"}]}, where "keys" is a URL of https or the path of a file, or is left out
            """
        case .tooLong(let path): "\(path) is longer than \(TokenIssuers.fileBytesMax) bytes"
        }
    }
}

/// The issuers that are configured, no two of one name.
package struct TokenIssuers: Sendable {
    static let fileBytesMax = 1 << 20
    static let issuersMax = 100

    let all: [TokenIssuer]
    package var isEmpty: Bool { self.all.isEmpty }
    package var count: Int { self.all.count }

    package init(_ issuer: TokenIssuer) {
        self.all = [issuer]
    }

    package init(_ issuers: [TokenIssuer]) throws(TokenIssuersError) {
        var names: Set<String> = []
        for issuer in issuers where !names.insert(issuer.issuer).inserted { throw .duplicate(issuer.issuer) }
        self.all = issuers
    }
}

extension TokenIssuers {
    /// Those that a file names. What it says and is not known here is an error: it was meant to restrict something.
    package static func read(_ path: String, disk: any Disk) throws(TokenIssuersError) -> [TokenIssuer] {
        let text = try self.text(path, disk)
        guard let members = try? JSONReader.object(text, valuesMax: 100_000), members.count == 1,
            case .list(let entries) = members["issuers"], (1...self.issuersMax).contains(entries.count)
        else { throw .malformed(path: path) }
        var issuers: [TokenIssuer] = []
        for entry in entries {
            guard let issuer = self.issuer(entry) else { throw .malformed(path: path) }
            issuers.append(issuer)
        }
        return issuers
    }

    private static func text(_ path: String, _ disk: any Disk) throws(TokenIssuersError) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(DiskError) {
            bytes = try disk.contents(of: path, bytesMax: self.fileBytesMax)
        } catch {
            throw .unreadable(error)
        }
        guard let bytes else { throw .tooLong(path: path) }
        return bytes
    }

    private static func issuer(_ entry: Claim) -> TokenIssuer? {
        guard case .map(let members) = entry,
            members.keys.allSatisfy({ ["issuer", "audiences", "keys"].contains($0) }),
            case .text(let name) = members["issuer"], !name.isEmpty,
            case .list(let list) = members["audiences"], !list.isEmpty
        else { return nil }
        var audiences: Set<String> = []
        for audience in list {
            guard case .text(let audience) = audience, !audience.isEmpty else { return nil }
            audiences.insert(audience)
        }
        switch members["keys"] {
        case nil:
            return name.hasPrefix("https://") ? TokenIssuer(issuer: name, audiences: audiences, keys: .discovery) : nil
        case .text(let keys) where keys.hasPrefix("https://"):
            return TokenIssuer(issuer: name, audiences: audiences, keys: .url(keys))
        case .text(let keys) where keys.hasPrefix("/"):
            return TokenIssuer(issuer: name, audiences: audiences, keys: .file(keys))
        default: return nil
        }
    }
}
