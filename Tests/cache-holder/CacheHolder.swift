import BrasaCache
import BrasaDocuments
import Foundation

/// Opens the cache in the folder that is named, says how that went, and holds it until its input ends: the other process
/// in tests of the lock.
@main
enum CacheHolder {
    static func main() throws {
        let database = try DatabaseName(project: "test-project", database: "(default)")
        var storage: DiskStorage?
        do {
            storage = try DiskStorage(folder: CommandLine.arguments.last ?? "", database: database)
            say("open")
        } catch {
            say("\(error)")
        }
        while readLine() != nil {}
        storage?.close()
    }

    /// At once, also into a pipe.
    private static func say(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }
}
