import ArgumentParser
import BrasaFirestore
import Dispatch
import Foundation

/// A client with a cache in a folder.
struct WorkerDatabase: ParsableArguments {
    @Option(help: "The cache's folder.")
    var folder: String

    @Option(help: "Bytes that the cache is brought back to.")
    var size = 100 * 1024 * 1024

    func open() -> Firestore {
        let settings = FirestoreSettings()
        settings.dispatchQueue = DispatchQueue(label: "handlers")
        settings.cacheSettings = PersistentCacheSettings(
            sizeBytes: NSNumber(value: self.size),
            folder: URL(filePath: self.folder)
        )
        let firestore = Firestore.firestore()
        firestore.settings = settings
        return firestore
    }

    /// Of all files of the cache.
    func fileBytes() -> Int {
        let files = FileManager.default.enumerator(atPath: self.folder)
        var sum = 0
        while files?.nextObject() != nil {
            sum += (files?.fileAttributes?[.size] as? NSNumber)?.intValue ?? 0
        }
        return sum
    }
}
