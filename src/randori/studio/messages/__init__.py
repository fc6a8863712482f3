"""Everything that the page and the server say to each other, once for both.

`typescript.py` writes web/src/messages/ from this folder. Keys are as here, ticks and frames count from 0,
lengths are metres, angles degrees, colours sRGB from 0 to 1.

Requests over HTTP (all below /api, all need the token):

    GET    gallery                                    Gallery
    GET    gallery/{name}/picture                     image/png, 404 while there is none
    GET    vocabulary                                 Vocabulary
    GET    scenes                                     SceneList
    POST   scenes/open          OpenScene             SceneDocument
    POST   scenes/check         SceneText             SceneDocument
    POST   scenes/edit          EditScene             SceneDocument     text in, text out
    POST   scenes/pin           PinOption             SceneDocument
    POST   scenes/save          SaveScene             SceneDocument
    POST   scenes/rename        RenameScene           SceneList
    POST   scenes/delete        DeleteScene           SceneList
    POST   simulate             Simulate              Job               result: TakeMade
    GET    takes                                      TakeList
    GET    takes/{take}/buffer                        take buffer
    POST   takes/{take}/save    SaveTake              TakeEntry
    POST   takes/{take}/delete                        TakeList          of the project's takes/
    GET    takes/{take}/scene                         SceneDocument     that gives this take
    GET    takes/{take}/costumes/{number}             a GLB file        of the take's costumes
    GET    takes/{take}/decisions/{number}            Why               numbers from 0
    POST   takes/{take}/decisions/{number}/weigh      Job               result: Weighed
    GET    takes/{take}/decisions/{number}/ghost?action=N    take buffer of one character
    POST   export               Export                Job               result: Exported
    POST   films?name=N&fps=30                        ExportedFile      the body: JPEG frames in a row
    GET    files/{path}                               a file that was exported
    GET    characters                                 CharacterList
    POST   characters/upload?name=N&overwrite=1       CharacterFile     the body is the file
    GET    library                                    LibraryList
    POST   library/upload?name=walk.bvh               Recording         body: the file's bytes
    POST   library/open         OpenLibrary           Job               result: Library
    POST   library/repair       RepairRecording       LibraryList
    POST   library/delete       DeleteRecording       LibraryList
    POST   library/fight        MakeFight             SceneDocument     saved in the project
    GET    library/{library}                          Library
    GET    library/{library}/actions/{number}/buffer  take buffer of one character
    GET    library/{library}/graph                    image/png
    GET    library/{library}/recordings/{number}/strip       Strip
    POST   library/segments     EditSegments          Segments
    GET    jobs                                       JobList
    POST   jobs/{job}/cancel                          Job
    GET    live                                       LiveList

WebSockets:

    /api/jobs/follow      the server sends JobList once, then Job whenever one changes
    /api/live/session     the page sends LiveStart, LiveInput, LivePlayhead, LiveKeep, LiveStop;
                          the server LiveOpened, LiveState, LiveKept and Problem; frames are binary,
                          and so are the files of costumes

A request that cannot be met is answered by a Problem (status 400 to 500, or a message on the socket).
Undo and redo are the page's: a scene is a text, so a step of its history is the text before.

**Take buffer** (little endian):

    0   4 bytes  "RNDT"
    4   uint32   version, 2
    8   uint32   J, bytes of JSON; it is filled up with spaces, so that 16 + J is a multiple of 16
    12  uint32   P, bytes of poses
    16  J bytes  TakeHeader as JSON in UTF-8
    16+J         poses; characters say where their own begin: bytes from here, multiples of 4
                 roots   float32 [frames][3]             metres, where joint 0 is
                 turns   int16   [frames][joints][4]     x, y, z, w × 32767, of a joint **in the world**
                 and each moving prop: float32 [frames][4], metres, and radians about +Y

A joint's place is its parent's place + the parent's turn applied to the joint's offset. Quaternions of the
same joint in neighbouring frames are on the same side, so a plain mix that is made unit length again is
the way between two frames.

**Frames of a live session** (little endian), one message each:

    0   4 bytes  "RNDF"
    4   uint32   tick of the first frame
    8   uint32   F, frames in this message
    12  uint32   J, bytes of JSON, filled up with spaces to a multiple of 4
    16  J bytes  LiveFrames as JSON
    16+J         roots   float32 [F][characters][3]             far below the floor before a character comes
                 props   float32 [F][props][4]                  as above
                 turns   int16   [F][characters][joints][4]     as above, for the largest body

**A costume of a live session**: 4 bytes "RNDC", its number as uint32, 8 bytes of zeros, and its GLB file.
"""

from randori.studio.messages.base import *  # noqa: F403
from randori.studio.messages.library import *  # noqa: F403
from randori.studio.messages.live import *  # noqa: F403
from randori.studio.messages.scenes import *  # noqa: F403
from randori.studio.messages.takes import *  # noqa: F403
from randori.studio.messages.work import *  # noqa: F403
