import BrasaDatabase
import BrasaFirestore
import Foundation

let db = Firestore.firestore()
let reference = db.document("cities/SF")
let cities = db.collection("cities")
func fields() -> [String: Any] { ["population": 860_000] }

// In the top-level code of a main.swift the compiler takes each of these for the form that does not wait. It has to be an
// error; scripts/check-snippets counts them, and the warnings.
try await reference.setData(fields())  // error
let place = Database.database(url: "http://127.0.0.1:8080?ns=demo").reference()
try await place.setValue(1)  // error
try await place.setValue(1, andPriority: 2)  // error
try await place.setPriority(2)  // error
try await place.updateChildValues(["a": 1])  // error
try await place.removeValue()  // error
try await place.onDisconnectSetValue(1)  // error
try await place.onDisconnectRemoveValue()  // error
try await place.onDisconnectUpdateChildValues(["a": 1])  // error
try await place.cancelDisconnectOperations()  // error
try await place.runTransactionBlock { .success(withValue: $0) }  // error
place.setValue(1)  // error
try await reference.setData(fields(), merge: true)  // error
try await reference.setData(fields(), mergeFields: ["population"])  // error
try await reference.updateData(fields())  // error
try await reference.delete()  // error
try await db.batch().deleteDocument(reference).commit()  // error
let added = try await cities.addDocument(data: fields())  // error
try await db.loadBundle(Data())  // error
try await db.loadBundle(InputStream(data: Data()))  // error
try await db.disableNetwork()  // error
try await db.enableNetwork()  // error
try await db.clearPersistence()  // error
try await db.terminate()  // error
try await db.setIndexConfiguration("{}")  // error
try await db.setIndexConfiguration(InputStream(data: Data()))  // error
reference.setData(fields())  // error

// These have no form that waits. The compiler says of the await that it is for nothing, in functions as well.
try await reference.setData(from: ["population": 1])  // warning
try await cities.addDocument(from: ["population": 1])  // warning

// These do what they say, there and in functions.
reference.setData(fields(), completion: nil)
reference.updateData(fields()) { error in print(error as Any) }
reference.delete { error in print(error as Any) }
db.batch().deleteDocument(reference).commit(completion: nil)
db.batch().deleteDocument(reference).commit { error in print(error as Any) }
db.terminate { error in print(error as Any) }
let task: LoadBundleTask = db.loadBundle(Data(), completion: nil)
try reference.setData(from: ["population": 1])
try place.setValue(from: ["population": 1])
place.setValue(1) { error, _ in print(error as Any) }
place.removeValue(completionBlock: nil)
place.observe(.value) { snapshot in print(snapshot) }
place.getData { error, snapshot in print(error as Any, snapshot as Any) }
let now = try await place.getData()
try await db.waitForPendingWrites()
let snapshot = try await reference.getDocument()

func queue() {
    reference.setData(fields())
    reference.setData(fields(), merge: true)
    reference.setData(fields(), mergeFields: ["population"])
    reference.updateData(fields())
    reference.delete { error in print(error as Any) }
    reference.delete()
    db.batch().deleteDocument(reference).commit()
    db.batch().deleteDocument(reference).commit { error in print(error as Any) }
    let added = cities.addDocument(data: fields())
    let task = db.loadBundle(Data())
    print(added.documentID, task)
    db.disableNetwork()
    db.enableNetwork()
    db.disableNetwork { error in print(error as Any) }
    db.terminate()
    db.clearPersistence()
    place.setValue(1)
    place.updateChildValues(["a": 1])
    place.removeValue()
    place.onDisconnectRemoveValue()
    place.runTransactionBlock { .success(withValue: $0) }
}

func wait() async throws {
    try await reference.setData(fields())
    try await reference.setData(Firestore.Encoder().encode(["population": 1]))
    try await reference.setData(from: ["population": 1])  // warning
    try await reference.updateData(fields())
    try await reference.delete()
    try await db.batch().deleteDocument(reference).commit()
    let added = try await cities.addDocument(data: fields())
    let progress = try await db.loadBundle(Data())
    print(added.documentID, progress.documentsLoaded)
    try await place.setValue(1)
    try await place.updateChildValues(["a": 1])
    try await place.runTransactionBlock { .success(withValue: $0) }
    reference.setData(fields(), completion: nil)
    try await db.disableNetwork()
    try await db.terminate()
    try await db.clearPersistence()
}

queue()
try await wait()
