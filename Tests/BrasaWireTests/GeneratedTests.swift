import BrasaGRPC
import BrasaMessages
import NIOCore
import Testing

@testable import BrasaWire

@Suite("Generated from proto/")
struct GeneratedTests {
    @Test("every method of the service has a descriptor of its kind")
    func methods() {
        let kinds = Dictionary(uniqueKeysWithValues: FirestoreMethods.all.map { ($0.method, $0.kind) })
        let unary = [
            "GetDocument", "ListDocuments", "UpdateDocument", "DeleteDocument", "BeginTransaction", "Commit",
            "Rollback",
            "PartitionQuery", "ListCollectionIds", "BatchWrite", "CreateDocument",
        ]
        let streaming = ["BatchGetDocuments", "RunQuery", "ExecutePipeline", "RunAggregationQuery"]
        var expected: [String: GRPCMethodKind] = ["Write": .bidirectional, "Listen": .bidirectional]
        for method in unary { expected[method] = .unary }
        for method in streaming { expected[method] = .serverStreaming }
        #expect(kinds == expected)
        #expect(FirestoreMethods.commit.path == "/google.firestore.v1.Firestore/Commit")
        #expect(AdminMethods.all.map(\.path) == ["/brasa.admin.v1.Admin/ListIndexes"])
        #expect(HealthMethods.all.map(\.kind) == [.unary, .serverStreaming])
        #expect((ReflectionMethods.all + ReflectionAlphaMethods.all).map(\.kind) == [.bidirectional, .bidirectional])
    }

    @Test("the descriptor set holds every file that a tool may ask for, imports first")
    func descriptors() throws {
        let files = try #require(Self.fileNames(FirestoreDescriptors.fileSet))
        #expect(Set(files).count == files.count)
        for file in [
            "google/firestore/v1/firestore.proto", "google/firestore/v1/document.proto", "google/rpc/status.proto",
            "google/type/latlng.proto", "google/protobuf/timestamp.proto", "grpc/health/v1/health.proto",
            "grpc/reflection/v1/reflection.proto", "grpc/reflection/v1alpha/reflection.proto",
            "brasa/admin/v1/admin.proto",
        ] {
            #expect(files.contains(file))
        }
        #expect(!files.contains { $0.contains("envelopes") })
        let position = { (file: String) in files.firstIndex(of: file) ?? -1 }
        #expect(position("google/protobuf/timestamp.proto") < position("google/firestore/v1/firestore.proto"))
    }

    @Test("reflection can tell of every file, service and message of the set")
    func descriptions() throws {
        let files = try FileDescription.files(inSet: FirestoreDescriptors.fileSet)
        #expect(files.map(\.name) == Self.fileNames(FirestoreDescriptors.fileSet))
        let symbols = Set(files.flatMap(\.symbols))
        for symbol in [
            FirestoreMethods.service, AdminMethods.service, HealthMethods.service, ReflectionMethods.service,
            ReflectionAlphaMethods.service, "google.firestore.v1.Firestore.Commit",
            "google.firestore.v1.Value.map_value", "google.firestore.v1.StructuredQuery.CompositeFilter.OR",
        ] {
            #expect(symbols.contains(symbol), "\(symbol)")
        }
    }

    /// The names in a FileDescriptorSet: each file is field 1, its name the file's field 1.
    private static func fileNames(_ set: [UInt8]) -> [String]? {
        var buffer = ByteBuffer(bytes: set)
        var names: [String] = []
        func varint(_ buffer: inout ByteBuffer) -> Int? {
            var value = 0
            var shift = 0
            while let byte: UInt8 = buffer.readInteger() {
                value |= Int(byte & 0x7F) << shift
                if byte < 0x80 { return value }
                shift += 7
            }
            return nil
        }
        while buffer.readableBytes > 0 {
            guard buffer.readInteger() == UInt8(0x0A), let length = varint(&buffer),
                var file = buffer.readSlice(length: length), file.readInteger() == UInt8(0x0A),
                let nameLength = varint(&file), let name = file.readString(length: nameLength)
            else { return nil }
            names.append(name)
        }
        return names
    }
}
