package import BrasaPlatform
import BrasaRules

/// The text of a rules file as servers and commands read it, so that none takes what another would refuse.
package enum RuleFileText {
    /// Those of trees have the same bound.
    static let bytesMax = Ruleset.sourceBytesMax

    /// Why there is none, in words for whoever wrote it.
    package struct Failure: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    package static func read(_ path: String, from disk: any Disk = RealDisk()) throws(Failure) -> [UInt8] {
        let bytes: [UInt8]?
        do throws(DiskError) {
            bytes = try disk.contents(of: path, bytesMax: Self.bytesMax)
        } catch {
            throw Failure(description: "\(error)")
        }
        guard let bytes else { throw Failure(description: "\(path) is longer than \(Self.bytesMax) bytes") }
        return bytes
    }
}
