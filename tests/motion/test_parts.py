import numpy as np
import pytest

from randori.errors import BodyPartError
from randori.motion.parts import (
    MIDDLE_PARTS,
    NEEDED,
    SIDE_PARTS,
    SIDES,
    find_parts,
    mirror_joints,
    missing_parts,
    part_options,
    split_name,
)
from randori.motion.skeleton import Skeleton

# Each convention: the trunk from the pelvis up to the head, each joint on the one before; what the joints
# of one side are called, arm then leg; and which of the trunk's joints are pelvis, spine, chest, neck, head.
# Extra joints (above the pelvis, between, beyond) are part of the game.
CONVENTIONS = {
    "CMU": {
        "trunk": "Hips, LowerBack, Spine, Spine1, Neck, Neck1, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand, {Side}FingerBase, {Side}HandIndex1",
        "leg": "{S}HipJoint, {Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine, Spine1, Neck, Head",
    },
    "ACCAD": {
        "trunk": "Hips, ToSpine, Spine, Spine1, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine, Spine1, Neck, Head",
    },
    "Mixamo": {
        "prefix": "mixamorig:",
        "trunk": "Hips, Spine, Spine1, Spine2, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand, {Side}HandThumb1",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase, {Side}Toe_End",
        "middle": "Hips, Spine1, Spine2, Neck, Head",
    },
    "Mixamo in glTF": {
        "prefix": "mixamorig",
        "trunk": "Hips, Spine, Spine1, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine, Spine1, Neck, Head",
    },
    "Biped": {
        "trunk": "Bip01, Bip01 Pelvis, Bip01 Spine, Bip01 Spine1, Bip01 Neck, Bip01 Head",
        "arm": "Bip01 {S} Clavicle, Bip01 {S} UpperArm, Bip01 {S} Forearm, Bip01 {S} Hand, Bip01 {S} Finger0",
        "leg": "Bip01 {S} Thigh, Bip01 {S} Calf, Bip01 {S} Foot, Bip01 {S} Toe0",
        "middle": "Bip01 Pelvis, Bip01 Spine, Bip01 Spine1, Bip01 Neck, Bip01 Head",
        "arms on": "Bip01 Neck",
    },
    "Valve": {
        "prefix": "ValveBiped.Bip01_",
        "trunk": "Pelvis, Spine, Neck1, Head",
        "arm": "{S}_Clavicle, {S}_UpperArm, {S}_Forearm, {S}_Hand",
        "leg": "{S}_Thigh, {S}_Calf, {S}_Foot, {S}_Toe0",
        "middle": "Pelvis, Spine, Spine, Neck1, Head",
    },
    "LAFAN1": {
        "trunk": "Hips, Spine, Spine1, Spine2, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}Toe",
        "middle": "Hips, Spine1, Spine2, Neck, Head",
    },
    "Bandai-Namco": {
        "trunk": "joint_Root, Hips, Spine, Chest, Neck, Head",
        "arm": "Shoulder_{S}, UpperArm_{S}, LowerArm_{S}, Hand_{S}",
        "leg": "UpperLeg_{S}, LowerLeg_{S}, Foot_{S}, Toes_{S}",
        "middle": "Hips, Spine, Chest, Neck, Head",
    },
    "Vicon ASF": {
        "trunk": "root, lowerback, upperback, thorax, lowerneck, upperneck, head",
        "arm": "{s}clavicle, {s}humerus, {s}radius, {s}wrist, {s}hand, {s}fingers, {s}thumb",
        "leg": "{s}hipjoint, {s}femur, {s}tibia, {s}foot, {s}toes",
        "middle": "root, upperback, thorax, lowerneck, head",
    },
    "Unreal": {
        "trunk": "root, pelvis, spine_01, spine_02, spine_03, neck_01, head",
        "arm": "clavicle_{s}, upperarm_{s}, lowerarm_{s}, hand_{s}, thumb_01_{s}",
        "leg": "thigh_{s}, calf_{s}, foot_{s}, ball_{s}",
        "middle": "pelvis, spine_02, spine_03, neck_01, head",
    },
    "Blender": {
        "trunk": "hips, spine, chest, neck, head",
        "arm": "shoulder.{S}, upper_arm.{S}, forearm.{S}, hand.{S}, f_index.01.{S}",
        "leg": "thigh.{S}, shin.{S}, foot.{S}, toe.{S}",
        "middle": "hips, spine, chest, neck, head",
    },
    "Rigify": {
        "prefix": "DEF-",
        "trunk": "spine, spine.001, spine.002, spine.003, spine.004, spine.005, spine.006",
        "arm": "shoulder.{S}, upper_arm.{S}, forearm.{S}, hand.{S}",
        "leg": "thigh.{S}, shin.{S}, foot.{S}, toe.{S}",
        "middle": "spine, spine.002, spine.003, spine.004, spine.006",
    },
    "first BVH files": {
        "trunk": "Hips, Chest, Neck, Head",
        "arm": "{Side}Collar, {Side}Shoulder, {Side}Elbow, {Side}Wrist",
        "leg": "{Side}Hip, {Side}Knee, {Side}Ankle, {Side}Toe",
        "middle": "Hips, Chest, Chest, Neck, Head",
    },
    "SMPL": {
        "trunk": "Pelvis, Spine1, Spine2, Spine3, Neck, Head",
        "arm": "{S}_Collar, {S}_Shoulder, {S}_Elbow, {S}_Wrist, {S}_Hand",
        "leg": "{S}_Hip, {S}_Knee, {S}_Ankle, {S}_Foot",
        "middle": "Pelvis, Spine2, Spine3, Neck, Head",
    },
    "Daz": {
        "trunk": "hip, abdomen, chest, neck, head",
        "arm": "{s}Collar, {s}Shldr, {s}ForeArm, {s}Hand",
        "leg": "{s}Thigh, {s}Shin, {s}Foot, {s}Toe",
        "middle": "hip, abdomen, chest, neck, head",
    },
    "Daz Genesis 8": {
        "trunk": "hip, abdomenLower, abdomenUpper, chestLower, chestUpper, neckLower, neckUpper, head",
        "arm": "{s}Collar, {s}ShldrBend, {s}ShldrTwist, {s}ForearmBend, {s}ForearmTwist, {s}Hand, {s}Thumb1",
        "leg": "{s}Pelvis, {s}ThighBend, {s}ThighTwist, {s}Shin, {s}Foot, {s}Metatarsals, {s}Toe",
        "middle": "hip, abdomenUpper, chestUpper, neckLower, head",
        "arm parts": "{s}Collar, {s}ShldrBend, {s}ForearmBend, {s}Hand",
        "leg parts": "{s}ThighBend, {s}Shin, {s}Foot, {s}Toe",
    },
    "Daz Genesis 9": {
        "trunk": "hip, spine1, spine2, spine3, spine4, neck1, neck2, head",
        "arm": "{s}_shoulder, {s}_upperarm, {s}_forearm, {s}_hand, {s}_thumb1",
        "leg": "{s}_thigh, {s}_shin, {s}_foot, {s}_toes",
        "middle": "hip, spine2, spine4, neck1, head",
    },
    "MakeHuman": {
        "trunk": "root, spine05, spine04, spine03, spine02, spine01, neck01, neck02, neck03, head",
        "arm": "clavicle.{S}, shoulder01.{S}, upperarm01.{S}, upperarm02.{S}, lowerarm01.{S}, "
        "lowerarm02.{S}, wrist.{S}, finger1-1.{S}",
        "leg": "pelvis.{S}, upperleg01.{S}, upperleg02.{S}, lowerleg01.{S}, lowerleg02.{S}, foot.{S}, "
        "toe1-1.{S}",
        "middle": "root, spine03, spine01, neck01, head",
        "arm parts": "clavicle.{S}, upperarm01.{S}, lowerarm01.{S}, wrist.{S}",
        "leg parts": "upperleg01.{S}, lowerleg01.{S}, foot.{S}, toe1-1.{S}",
    },
    "MakeHuman, old": {
        "trunk": "Root, Spine1, Spine2, Spine3, Neck, Head",
        "arm": "__Clavicle_{S}, Clavicle_{S}, UpArm_{S}, LoArm_{S}, Hand_{S}, __Thumb1_{S}",
        "leg": "__UpLeg_{S}, UpLeg_{S}, LoLeg_{S}, Foot_{S}, Toe_{S}",
        "middle": "Root, Spine2, Spine3, Neck, Head",
        "arm parts": "Clavicle_{S}, UpArm_{S}, LoArm_{S}, Hand_{S}",
        "leg parts": "UpLeg_{S}, LoLeg_{S}, Foot_{S}, Toe_{S}",
    },
    "VRoid": {
        "trunk": "Root, J_Bip_C_Hips, J_Bip_C_Spine, J_Bip_C_Chest, J_Bip_C_UpperChest, J_Bip_C_Neck, "
        "J_Bip_C_Head",
        "arm": "J_Bip_{S}_Shoulder, J_Bip_{S}_UpperArm, J_Bip_{S}_LowerArm, J_Bip_{S}_Hand, J_Bip_{S}_Index1",
        "leg": "J_Bip_{S}_UpperLeg, J_Bip_{S}_LowerLeg, J_Bip_{S}_Foot, J_Bip_{S}_ToeBase",
        "middle": "J_Bip_C_Hips, J_Bip_C_Chest, J_Bip_C_UpperChest, J_Bip_C_Neck, J_Bip_C_Head",
    },
    "VRM": {
        "trunk": "hips, spine, chest, upperChest, neck, head",
        "arm": "{side}Shoulder, {side}UpperArm, {side}LowerArm, {side}Hand",
        "leg": "{side}UpperLeg, {side}LowerLeg, {side}Foot, {side}Toes",
        "middle": "hips, chest, upperChest, neck, head",
    },
    "Second Life": {
        "trunk": "mPelvis, mTorso, mChest, mNeck, mHead",
        "arm": "mCollar{Side}, mShoulder{Side}, mElbow{Side}, mWrist{Side}",
        "leg": "mHip{Side}, mKnee{Side}, mAnkle{Side}, mFoot{Side}",
        "middle": "mPelvis, mTorso, mChest, mNeck, mHead",
    },
    "GENEA": {
        "trunk": "body_world, b_root, b_spine0, b_spine1, b_spine2, b_spine3, b_neck0, b_head",
        "arm": "b_{s}_shoulder, b_{s}_arm, b_{s}_arm_twist, b_{s}_forearm, b_{s}_wrist_twist, b_{s}_wrist",
        "leg": "b_{s}_upleg, b_{s}_leg, b_{s}_foot_twist, b_{s}_foot",
        "middle": "b_root, b_spine1, b_spine3, b_neck0, b_head",
        "arm parts": "b_{s}_shoulder, b_{s}_arm, b_{s}_forearm, b_{s}_wrist",
        "leg parts": "b_{s}_upleg, b_{s}_leg, b_{s}_foot",
    },
    "DeepMotion": {
        "suffix": "_JNT",
        "trunk": "hips, spine, spine1, spine2, neck, head",
        "arm": "{s}_shoulder, {s}_arm, {s}_forearm, {s}_hand",
        "leg": "{s}_upleg, {s}_leg, {s}_foot, {s}_toebase",
        "middle": "hips, spine1, spine2, neck, head",
    },
    "MMD": {
        "trunk": "センター, 上半身, 上半身2, 首, 頭",
        "arm": "{jp}肩, {jp}腕, {jp}ひじ, {jp}手首, {jp}親指1",
        "leg": "{jp}足, {jp}ひざ, {jp}足首, {jp}つま先",
        "middle": "センター, 上半身, 上半身2, 首, 頭",
    },
    "MMD in English": {
        "trunk": "center, upper body, upper body2, neck, head",
        "arm": "shoulder_{S}, arm_{S}, elbow_{S}, wrist_{S}",
        "leg": "leg_{S}, knee_{S}, ankle_{S}, toe_{S}",
        "middle": "center, upper body, upper body2, neck, head",
    },
    "a prefix": {
        "prefix": "Model_",
        "trunk": "Hips, Spine, Spine1, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine, Spine1, Neck, Head",
    },
    "a suffix": {
        "suffix": " #0",
        "trunk": "Hips, Spine, Spine1, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine, Spine1, Neck, Head",
    },
    "Xsens": {
        "trunk": "Pelvis, L5, L3, T12, T8, Neck, Head",
        "arm": "{Side}Shoulder, {Side}UpperArm, {Side}ForeArm, {Side}Hand",
        "leg": "{Side}UpperLeg, {Side}LowerLeg, {Side}Foot, {Side}Toe",
        "middle": "Pelvis, L3, T8, Neck, Head",
    },
    "Xsens in BVH": {
        "trunk": "Hips, Chest, Chest2, Chest3, Chest4, Neck, Head",
        "arm": "{Side}Collar, {Side}Shoulder, {Side}Elbow, {Side}Wrist",
        "leg": "{Side}Hip, {Side}Knee, {Side}Ankle, {Side}Toe",
        "middle": "Hips, Chest2, Chest4, Neck, Head",
    },
    "Rokoko": {
        "trunk": "Hips, Spine, Spine1, Spine2, Spine3, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand, {Side}HandEnd, {Side}HandThumb1",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine1, Spine3, Neck, Head",
    },
    "OptiTrack": {
        "prefix": "Skeleton1_",
        "trunk": "Hip, Ab, Chest, Neck, Head",
        "arm": "{S}Shoulder, {S}UArm, {S}FArm, {S}Hand",
        "leg": "{S}Thigh, {S}Shin, {S}Foot, {S}Toe",
        "middle": "Hip, Ab, Chest, Neck, Head",
    },
    "ARKit": {
        "suffix": "_joint",
        "trunk": "root, hips, spine_1, spine_2, spine_3, spine_4, neck_1, neck_2, head",
        "arm": "{side}_shoulder_1, {side}_arm, {side}_forearm, {side}_hand",
        "leg": "{side}_upLeg, {side}_leg, {side}_foot, {side}_toes",
        "middle": "hips, spine_2, spine_4, neck_1, head",
    },
    "Azure Kinect": {
        "trunk": "PELVIS, SPINE_NAVEL, SPINE_CHEST, NECK, HEAD",
        "arm": "CLAVICLE_{SIDE}, SHOULDER_{SIDE}, ELBOW_{SIDE}, WRIST_{SIDE}, HAND_{SIDE}",
        "leg": "HIP_{SIDE}, KNEE_{SIDE}, ANKLE_{SIDE}, FOOT_{SIDE}",
        "middle": "PELVIS, SPINE_NAVEL, SPINE_CHEST, NECK, HEAD",
    },
    "Kinect 2": {
        "trunk": "SpineBase, SpineMid, SpineShoulder, Neck, Head",
        "arm": "Shoulder{Side}, Elbow{Side}, Wrist{Side}, Hand{Side}",
        "leg": "Hip{Side}, Knee{Side}, Ankle{Side}, Foot{Side}",
        "middle": "SpineBase, SpineMid, SpineShoulder, Neck, Head",
        "arm parts": ", Shoulder{Side}, Elbow{Side}, Wrist{Side}",
    },
    "Character Creator": {
        "prefix": "CC_Base_",
        "trunk": "BoneRoot, Hip, Waist, Spine01, Spine02, NeckTwist01, NeckTwist02, Head",
        "arm": "{S}_Clavicle, {S}_Upperarm, {S}_Forearm, {S}_Hand, {S}_Index1",
        "leg": "{S}_Thigh, {S}_Calf, {S}_Foot, {S}_ToeBase",
        "middle": "Hip, Spine01, Spine02, NeckTwist01, Head",
    },
    "Auto-Rig Pro": {
        "trunk": "root.x, spine_01.x, spine_02.x, neck.x, head.x",
        "arm": "shoulder.{s}, arm_stretch.{s}, forearm_stretch.{s}, hand.{s}",
        "leg": "thigh_stretch.{s}, leg_stretch.{s}, foot.{s}, toes_01.{s}",
        "middle": "root.x, spine_01.x, spine_02.x, neck.x, head.x",
    },
    "AdvancedSkeleton": {
        "trunk": "Root_M, Spine1_M, Chest_M, Neck_M, Head_M",
        "arm": "Scapula_{S}, Shoulder_{S}, Elbow_{S}, Wrist_{S}",
        "leg": "Hip_{S}, Knee_{S}, Ankle_{S}, Toes_{S}",
        "middle": "Root_M, Spine1_M, Chest_M, Neck_M, Head_M",
    },
    "KayKit": {
        "trunk": "root, hips, spine, chest, head",
        "arm": "upperarm.{s}, lowerarm.{s}, wrist.{s}, hand.{s}, handslot.{s}",
        "leg": "upperleg.{s}, lowerleg.{s}, foot.{s}, toes.{s}",
        "middle": "hips, spine, chest, , head",
        "arm parts": ", upperarm.{s}, lowerarm.{s}, wrist.{s}",
    },
    "Roblox": {
        "trunk": "HumanoidRootPart, LowerTorso, UpperTorso, Head",
        "arm": "{Side}UpperArm, {Side}LowerArm, {Side}Hand",
        "leg": "{Side}UpperLeg, {Side}LowerLeg, {Side}Foot",
        "middle": "LowerTorso, UpperTorso, UpperTorso, , Head",
        "arm parts": ", {Side}UpperArm, {Side}LowerArm, {Side}Hand",
    },
    "video2bvh": {
        "trunk": "Hips, LowerBack, Spine, Spine1, Neck, Neck1",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand",
        "leg": "{Side}HipJoint, {Side}UpLeg, {Side}Leg, {Side}Foot",
        "middle": "Hips, Spine, Spine1, Neck, Neck1",
        "leg parts": "{Side}UpLeg, {Side}Leg, {Side}Foot",
    },
    "Sketchfab": {
        "numbered": "yes",
        "trunk": "mixamorig:Hips, mixamorig:Spine, mixamorig:Spine1, mixamorig:Neck, mixamorig:Head",
        "arm": "mixamorig:{Side}Shoulder, mixamorig:{Side}Arm, mixamorig:{Side}ForeArm, mixamorig:{Side}Hand",
        "leg": "mixamorig:{Side}UpLeg, mixamorig:{Side}Leg, mixamorig:{Side}Foot, mixamorig:{Side}ToeBase",
        "middle": "mixamorig:Hips, mixamorig:Spine, mixamorig:Spine1, mixamorig:Neck, mixamorig:Head",
    },
    "Mixamo, a second character": {
        "prefix": "mixamorig1:",
        "trunk": "Hips, Spine, Spine1, Spine2, Neck, Head, HeadTop_End",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand, {Side}HandThumb1",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase, {Side}Toe_End",
        "middle": "Hips, Spine1, Spine2, Neck, Head",
    },
    "Ready Player Me": {
        "trunk": "Armature, Hips, Spine, Spine1, Spine2, Neck, Head, HeadTop_End",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand, {Side}HandThumb1",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase, {Side}Toe_End",
        "middle": "Hips, Spine1, Spine2, Neck, Head",
    },
    "Unreal 5": {
        "trunk": "root, pelvis, spine_01, spine_02, spine_03, spine_04, spine_05, neck_01, neck_02, head",
        "arm": "clavicle_{s}, upperarm_{s}, lowerarm_{s}, hand_{s}, index_metacarpal_{s}",
        "leg": "thigh_{s}, calf_{s}, foot_{s}, ball_{s}",
        "middle": "pelvis, spine_03, spine_05, neck_01, head",
    },
    "Biped of a later Max": {
        "trunk": "Bip001, Bip001 Pelvis, Bip001 Spine, Bip001 Spine1, Bip001 Neck, Bip001 Head",
        "arm": "Bip001 {S} Clavicle, Bip001 {S} UpperArm, Bip001 {S} Forearm, Bip001 {S} Hand",
        "leg": "Bip001 {S} Thigh, Bip001 {S} Calf, Bip001 {S} Foot, Bip001 {S} Toe0",
        "middle": "Bip001 Pelvis, Bip001 Spine, Bip001 Spine1, Bip001 Neck, Bip001 Head",
        "arms on": "Bip001 Neck",
    },
    "Perception Neuron": {
        "prefix": "Robot_",
        "trunk": "Hips, Spine, Spine1, Spine2, Spine3, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand, {Side}InHandIndex",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot",
        "middle": "Hips, Spine1, Spine3, Neck, Head",
    },
    "Noitom": {
        "trunk": "Hips, Spine, Spine1, Spine2, Neck, Neck1, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand, {Side}HandMiddle",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot",
        "middle": "Hips, Spine1, Spine2, Neck, Head",
    },
    "HumanIK": {
        "prefix": "Character1_",
        "trunk": "Reference, Hips, Spine, Spine1, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand, {Side}HandIndex1",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine, Spine1, Neck, Head",
    },
    "Unity": {
        "trunk": "Hips, Spine, Chest, UpperChest, Neck, Head",
        "arm": "{Side}Shoulder, {Side}UpperArm, {Side}LowerArm, {Side}Hand",
        "leg": "{Side}UpperLeg, {Side}LowerLeg, {Side}Foot, {Side}Toes",
        "middle": "Hips, Chest, UpperChest, Neck, Head",
    },
    "Unity, spaced": {
        "trunk": "Hips, Spine, Chest, Neck, Head",
        "arm": "{Side} Shoulder, {Side} Upper Arm, {Side} Lower Arm, {Side} Hand",
        "leg": "{Side} Upper Leg, {Side} Lower Leg, {Side} Foot, {Side} Toes",
        "middle": "Hips, Spine, Chest, Neck, Head",
    },
    "Rigify with segments": {
        "prefix": "DEF-",
        "trunk": "spine, spine.001, spine.002, spine.003, spine.004, spine.005, spine.006",
        "arm": "shoulder.{S}, upper_arm.{S}, upper_arm.{S}.001, forearm.{S}, forearm.{S}.001, hand.{S}",
        "leg": "thigh.{S}, thigh.{S}.001, shin.{S}, shin.{S}.001, foot.{S}, toe.{S}",
        "middle": "spine, spine.002, spine.003, spine.004, spine.006",
        "arm parts": "shoulder.{S}, upper_arm.{S}, forearm.{S}, hand.{S}",
        "leg parts": "thigh.{S}, shin.{S}, foot.{S}, toe.{S}",
    },
    "a name space": {
        "prefix": "Fighter_02:",
        "trunk": "Hips, Spine, Spine1, Spine2, Neck, Head",
        "arm": "{Side}Shoulder, {Side}Arm, {Side}ForeArm, {Side}Hand",
        "leg": "{Side}UpLeg, {Side}Leg, {Side}Foot, {Side}ToeBase",
        "middle": "Hips, Spine1, Spine2, Neck, Head",
    },
    "mocopi": {
        "trunk": "root, torso_1, torso_2, torso_3, torso_4, torso_5, torso_6, torso_7, neck_1, neck_2, head",
        "arm": "{s}_shoulder, {s}_up_arm, {s}_low_arm, {s}_hand",
        "leg": "{s}_up_leg, {s}_low_leg, {s}_foot, {s}_toes",
        "middle": "root, torso_4, torso_7, neck_1, head",
    },
    "Cascadeur": {
        "trunk": "pelvis, stomach, chest, neck, head",
        "arm": "clavicle_{s}, arm_{s}, forearm_{s}, hand_{s}",
        "leg": "thigh_{s}, calf_{s}, foot_{s}, toe_{s}",
        "middle": "pelvis, stomach, chest, neck, head",
    },
    "Valve with its whole spine": {
        "prefix": "ValveBiped.Bip01_",
        "trunk": "Pelvis, Spine, Spine1, Spine2, Spine4, Neck1, Head1",
        "arm": "{S}_Clavicle, {S}_UpperArm, {S}_Forearm, {S}_Hand, {S}_Finger0",
        "leg": "{S}_Thigh, {S}_Calf, {S}_Foot, {S}_Toe0",
        "middle": "Pelvis, Spine1, Spine4, Neck1, Head1",
    },
}
# where the joints of a limb stand in its list, other than from the start
FIRST_OF_LEG = {"CMU": 1, "Vicon ASF": 1}


def listed(convention: str, row: str, side: str = "") -> list[str]:
    """The names in a row of the table, for one side of the body."""
    rows = CONVENTIONS[convention]
    japanese = {"left": "左", "right": "右"}.get(side, "")
    words = {
        "Side": side.capitalize(),
        "SIDE": side.upper(),
        "side": side,
        "S": side[:1].upper(),
        "s": side[:1],
    }
    bare = rows[row].format(**words, jp=japanese)
    prefix, suffix = rows.get("prefix", ""), rows.get("suffix", "")
    return [name and f"{prefix}{name}{suffix}" for name in bare.split(", ")]


def build(convention: str) -> tuple[list[str], np.ndarray, dict[str, str]]:
    """Joint names, parents, and the part → name that is expected."""
    rows = CONVENTIONS[convention]
    trunk = listed(convention, "trunk")
    names, parents = list(trunk), list(range(-1, len(trunk) - 1))
    expected = dict(zip(MIDDLE_PARTS, listed(convention, "middle")))
    arms_on = trunk.index(rows.get("arms on", expected["chest"]))
    for side in SIDES:
        for limb, above in (("arm", arms_on), ("leg", trunk.index(expected["pelvis"]))):
            for number, name in enumerate(listed(convention, limb, side)):
                parents.append(above if number == 0 else len(names) - 1)
                names.append(name)
        first = FIRST_OF_LEG.get(convention, 0)
        arm = listed(convention, "arm parts" if "arm parts" in rows else "arm", side)
        leg = listed(convention, "leg parts" if "leg parts" in rows else "leg", side)[first:]
        expected |= {f"{side}_{part}": name for part, name in zip(SIDE_PARTS, arm[:4] + leg[:4])}
    expected = {part: name for part, name in expected.items() if name}
    if "numbered" in rows:
        numbered = {name: f"{name}_{number:02}" for number, name in enumerate(names)}
        names = list(numbered.values())
        expected = {part: numbered[name] for part, name in expected.items()}
    return names, np.array(parents), expected


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_the_parts_of_every_convention_are_found(convention: str):
    names, parents, expected = build(convention)
    found = {part: names[joint] for part, joint in find_parts(names, parents).items()}
    assert found == expected
    assert not missing_parts(find_parts(names, parents))


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_every_joint_of_a_side_has_its_twin(convention: str):
    names, parents, _ = build(convention)
    twins = mirror_joints(names, find_parts(names, parents))
    trunk = len(listed(convention, "trunk"))
    half = (len(names) - trunk) // 2
    left, right = np.arange(trunk, trunk + half), np.arange(trunk + half, len(names))
    assert twins.tolist() == [*range(trunk), *right, *left]


@pytest.mark.parametrize(
    ("name", "side", "word"),
    [
        ("LowerBack", "", "lowerback"),
        ("lowerback", "", "lowerback"),
        ("root", "", "root"),
        ("Ribs", "", "ribs"),
        ("LThumb", "left", "thumb"),
        ("rhand", "right", "hand"),
        ("Character1_RightForeArm", "right", "forearm"),
        ("upperarm_twist_01_l", "left", "upperarmtwist1"),
        ("Bip001 R Calf", "right", "calf"),
        ("spine_03", "", "spine3"),
    ],
)
def test_names_are_taken_apart(name: str, side: str, word: str):
    assert split_name(name) == (side, word)


def test_a_body_without_names_is_known_by_its_shape():
    """Numbers for names: two legs, two arms and a trunk are there, and toes show where left is."""
    names, parents, expected = build("first BVH files")
    places = {"hips": (0, 0, 0), "chest": (0, 30, 0), "neck": (0, 25, 0), "head": (0, 10, 0)}
    limbs = {
        "collar": (3, 20, 0), "shoulder": (15, 0, 0), "elbow": (28, 0, 0), "wrist": (26, 0, 0),
        "hip": (10, 0, 0), "knee": (0, -42, 0), "ankle": (0, -40, 0), "toe": (0, -5, 14),
    }  # fmt: skip
    offsets = []
    for name in names:
        side, word = split_name(name)
        x, y, z = limbs[word] if side else places[word]
        offsets.append((-x if side == "right" else x, y, z))
    numbered = [f"joint{number}" for number in range(len(names))]
    found = find_parts(numbered, parents, offsets=np.array(offsets, dtype=float))
    for part in NEEDED:
        assert names[found[part]] == expected[part], part
    assert set(missing_parts(find_parts(numbered, parents))) >= {"left_hand", "right_foot"}


def test_missing_parts_become_options_to_paste():
    names, parents, _ = build("LAFAN1")
    names[names.index("LeftHand")] = "LeftHandRig"
    names[names.index("LeftFoot")] = "Left Paw"
    parts = find_parts(names, parents)
    parts.pop("left_foot", None)
    parts.pop("left_hand", None)
    assert part_options(names, parts) == "--part left_hand=LeftHandRig --part left_foot=JOINT"


def test_an_override_wins_and_must_name_a_joint():
    names, parents, _ = build("LAFAN1")
    assert names[find_parts(names, parents, {"head": "Neck"})["head"]] == "Neck"
    with pytest.raises(BodyPartError, match="there is no joint 'Nose'; the joints are Hips"):
        find_parts(names, parents, {"head": "Nose"})
    with pytest.raises(BodyPartError, match="no body part 'tail'; the parts are pelvis"):
        find_parts(names, parents, {"tail": "Hips"})


def test_a_part_that_is_not_there_is_named_with_the_candidates():
    names = ("Hips", "Box")
    parents = np.array([-1, 0])
    parts = find_parts(names, parents)
    assert set(missing_parts(parts)) == set(NEEDED) - {"pelvis"}
    skeleton = Skeleton(names, parents, np.zeros((2, 3)), np.zeros((2, 3)), parts)
    with pytest.raises(BodyPartError, match=r"left thigh.*The joints are: Hips, Box"):
        skeleton.joint("left_thigh")


def test_a_sword_in_a_hand_is_found():
    names, parents, _ = build("Unreal")
    names.append("weapon_r")
    assert names[find_parts(names, np.append(parents, names.index("hand_r")))["weapon"]] == "weapon_r"
